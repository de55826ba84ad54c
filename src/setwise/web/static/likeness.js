// The search by board: games with the position on the board, or with its pieces or pawns.

import { $, ask, tell } from "./dom.js";
import { change } from "./state.js";

$("like-form").onsubmit = async (event) => {
  event.preventDefault();
  try {
    const { where } = await ask("like", {
      fen: $("fen").value, what: $("like").value, either_colour: $("like-colour").checked, either_wing: $("like-wing").checked,
    });
    change({ view: "search", q: where, form: "", per: "1", order: "", game: "" }, { push: true });
  } catch (error) {
    tell($("fault"), error.message);
  }
};
