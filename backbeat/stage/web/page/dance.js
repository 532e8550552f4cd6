// What is edited of a dance: blocks on tracks, the palette, values, their tools and keys.
window.makeDance = (desk) => {
  const { body, find, view, offers, document_, deck, says, placeOf, opened, notice } = desk;
  const edit = async (what, choice) => {
    const done = await document_.edit(what);
    if (done && choice && !done.refused) blocks.chooseBy(choice);
    return done;
  };
  const blocks = window.makeBlocks(find(".lanes"), view, {
    edit, says, placeOf,
    revision: () => document_.now().revision,
    released: desk.draw,
    chosen: (block) => {
      for (const tool of body.querySelectorAll(".of-block")) tool.disabled = !block;
      values();
    },
  });
  const insert = ({ move, track, beats }, at) => {
    if (body.dataset.opened === "palette" && innerWidth <= 900) opened("palette");
    return edit({ edit: "insert", move, at, track }, { move, track, at, beats });
  };
  const palette = window.makePalette(find(".palette"), offers.palette, find(".lanes"), view, {
    insert, says, placeOf, snapped: blocks.snapped,
    playhead: () => Math.max(0, blocks.snapped(desk.beatOf(deck.state().time))),
    close: () => opened("palette"),
  });
  const refreshValues = window.makeValues(find(".values"), offers, blocks, document_, () => opened("values"));
  function values() { if (document_.now()) refreshValues(); }

  const onBlock = (make) => () => edit(() => {
    const block = blocks.selected();
    return block && make(block);
  });
  const tools = {
    add: () => {
      opened("palette");
      if (body.dataset.opened !== "palette") return;
      palette.drawAll().catch(() => notice("The stage does not respond."));
      if (!matchMedia("(pointer: coarse)").matches) palette.focus();
    },
    mirror: onBlock(({ track, row }) => ({ edit: "mirror", track, row })),
    remove: onBlock(({ track, row }) => ({ edit: "delete", track, row })),
    copy: () => {
      const block = blocks.selected();
      if (!block) return null;
      const { track, row, move } = block, at = block.start + blocks.length(block);
      return edit({ edit: "copy", track, row, at }, { move, track, at });
    },
  };
  const shifted = (by) => onBlock(({ track, row, start }) =>
    ({ edit: "move", track, row, at: Math.max(0, start + by * view.snap) }))();
  const longer = (by) => onBlock(({ track, row, start, beats }) => (
    { edit: "stretch", track, row, at: start, beats: Math.max(view.snap, beats + by * view.snap) }))();
  const KEYS = {
    ArrowLeft: () => shifted(-1), ArrowRight: () => shifted(1),
    "shift ArrowLeft": () => longer(-1), "shift ArrowRight": () => longer(1),
    m: tools.mirror, d: tools.copy, Delete: tools.remove, Backspace: tools.remove,
    Escape: () => blocks.choose(null),
  };
  const ALWAYS = {
    "ctrl d": tools.copy, "[": () => blocks.next(-1), "]": () => blocks.next(1), a: tools.add,
  };
  find(".lanes").onpointerdown = (event) => {
    if (!event.target.closest(".block")) blocks.choose(null);
  };
  return {
    blocks, tools,
    draw: (doc) => blocks.draw(doc),
    isHeld: blocks.isHeld,
    length: ({ beats, tracks }) => Math.max(
      beats, ...Object.values(tracks).flat().map((b) => b.start + blocks.length(b))) || 16,
    isEmpty: ({ is_read: isRead, tracks }) => isRead && !Object.values(tracks).flat().length,
    key: (name) => ALWAYS[name] ?? (blocks.selected() ? KEYS[name] : undefined),
    refresh() {},
    help: {
      a: "add a move", "[ ]": "select a block", "← → ": "move the block",
      "shift ← →": "change its length", m: "mirror it", d: "copy it after itself",
      Delete: "delete it", Escape: "select none",
    },
  };
};
