// The document of an authored dance: what the server holds of it, and edits of it, one
// after the other. An edit may be a function, which is asked for it when it is its turn.
window.openDocument = (info, notice) => {
  const listeners = [];
  // In a recording there is what was edited, and nothing to edit it with.
  const kept = info.timeline.document;
  if (kept)
    return {
      edit: async () => null, follow() {}, undo() {}, redo() {},
      now: () => kept, listen: (listener) => listener(kept),
    };
  let now = null, turn = Promise.resolve(), fetching = false;

  function take(found) {
    if (now && found.revision < now.revision) return;
    now = found;
    for (const listener of listeners) listener(now);
  }
  async function post(edit) {
    const asked = typeof edit === "function" ? edit() : edit;
    if (!asked || !now) return null;
    const began = performance.now();
    const answer = await fetch("edit", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Backbeat-Token": info.token },
      body: JSON.stringify({ edit: asked, revision: now.revision }),
    });
    if (!answer.ok) { notice(await answer.text()); return null; }
    const found = await answer.json();
    take(found);
    if (found.refused) notice(found.refused);
    return { ...found, took: performance.now() - began };
  }
  function edit(what) {
    const done = turn.then(() => post(what)).catch(() => {
      notice("The stage does not respond.");
      return null;
    });
    turn = done;
    return done;
  }
  // Something is new: an edit of another page, of an editor, or about the motion.
  async function follow(script) {
    if (fetching || !script || now?.edition === script) return;
    fetching = true;
    try {
      const news = now?.news;
      take(await (await fetch("document")).json());
      if (now.news && now.news !== news) notice(now.news);
    } catch { /* `live.js` says that the show is over. */ } finally { fetching = false; }
  }
  return {
    edit, follow,
    now: () => now,
    listen: (listener) => listeners.push(listener),
    undo: () => edit(() => now.undo && { edit: "undo" }),
    redo: () => edit(() => now.redo && { edit: "redo" }),
  };
};
