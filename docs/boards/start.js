// Each drawn example with data gets a button; the first use loads the module.

const HERE = document.currentScript.src;

function offer(figure) {
  const data = JSON.parse(figure.dataset.board);
  const stepwise = figure.dataset.steps ? document.getElementById(figure.dataset.steps) : null;
  const button = element("button", { type: "button", className: "change", textContent: "Change this board" });
  const begin = async () => {
    button.textContent = "Loading …";
    try {
      await new Board(figure, data, stepwise).start();
    } catch (error) {
      button.textContent = `This board cannot be changed here: ${error.message}. Try again`;
    }
  };
  button.addEventListener("click", begin);
  figure.append(button);
}

const begun = () => document.querySelectorAll("figure[data-board]").forEach(offer);
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begun);
else begun();
