// From a show to the timeline of what is shown: the server goes on as another one, at the
// same address, and the page loads itself anew when it is there.
window.offerEdit = ({ find }, send) => {
  const PAUSE = 400, TRIES = 150;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "edit";
  button.textContent = "edit";
  button.title = "Edit it on a timeline";
  find("h1").append(button);
  async function edit() {
    await send("edit");
    for (let i = 0; i < TRIES; i++) {
      await new Promise((done) => { setTimeout(done, PAUSE); });
      try {
        if ((await fetch("document")).ok) { location.reload(); return; }
        // It is still the show, which has said why it cannot.
        if (i > 10 && (await fetch("state")).ok) return;
      } catch { /* Neither is there at present. */ }
    }
  }
  button.onclick = () => { button.blur(); edit(); };
};
