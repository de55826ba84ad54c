// Sets of squares as BigInt, and what the compiled module answers. A1 is bit 0, h8 is bit 63.

const ALL = (1n << 64n) - 1n;
const MOST_NOTES = 256; // the first ones and the last
const FILE_A = 0x0101010101010101n;
const SQUARES = Array.from({ length: 64 }, (_, at) => "abcdefgh"[at % 8] + (1 + (at >> 3)));

const bit = (square) => 1n << BigInt(square);
const has = (set, square) => ((set >> BigInt(square)) & 1n) === 1n;
const squaresOf = (set) => SQUARES.map((_, at) => at).filter((at) => has(set, at));
const namesOf = (set) => squaresOf(set).map((at) => SQUARES[at]).join(" ");

/** The set as the other side sees it. */
function turned(set) {
  let found = 0n;
  for (let rank = 0n; rank < 64n; rank += 8n) found |= ((set >> rank) & 0xffn) << (56n - rank);
  return found;
}

/** The squares of a value, a set or a square; null for a fileset and for a number. */
function shown(kind, word) {
  if (kind === "set of squares") return word;
  return kind !== "square" ? null : word < 64n ? bit(word) : 0n;
}

/** A value in words. */
function said(kind, word) {
  if (kind === "flag") return word ? "yes" : "no";
  if (kind === "set of squares") return namesOf(word) || "none";
  if (kind === "square") return word < 64n ? SQUARES[Number(word)] : "none";
  if (kind === "fileset") return [..."abcdefgh"].filter((_, file) => has(word, file)).join(" ") || "none";
  return String(kind === "number of steps" ? BigInt.asIntN(64, word) : word);
}

let module;

/** The module, loaded once by a script of its own, so that a page opened from a folder has it, too. */
function loaded() {
  module ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL("module.js", HERE).href;
    script.onerror = () => reject(new Error("the module did not load"));
    script.onload = async () => {
      const bytes = Uint8Array.from(atob(globalThis.setwiseModule), (letter) => letter.charCodeAt(0));
      const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      const { instance } = await WebAssembly.instantiate(await new Response(unpacked).arrayBuffer(), {});
      resolve(instance.exports);
    };
    document.head.append(script);
  }).catch((error) => {
    module = undefined;
    throw error;
  });
  return module;
}

/** The word that a function of the module answers. */
const answered = (functions, name, words) => BigInt.asUintN(64, functions[name](...words));

/** The steps of a pattern: caption, squares, and the fileset if it is one. A step that adds nothing is left out. */
function stepsOf(functions, name, words, inside, returns) {
  const answer = answered(functions, name, words);
  functions["notes.forget"]();
  functions[`${name}.steps`](...words);
  const captions = CAPTIONS[name];
  const notes = Array.from({ length: Math.min(functions["notes.count"](), MOST_NOTES) }, (_, at) => [
    captions[Number(functions["notes.number"](at))],
    BigInt.asUintN(64, functions["notes.word"](at)),
  ]);
  const [last] = notes.pop();
  const steps = [];
  const step = (caption, kind, word) =>
    kind === "fileset" ? [caption, (word & 0xffn) * FILE_A, word & 0xffn] : [caption, word];
  for (const [caption, word] of notes) {
    const before = steps.at(-1);
    const next = step(caption, inside, word);
    if (!before || before[0] !== caption || before[1] !== next[1]) steps.push(next);
  }
  const sentence = last || captions.at(-1);
  if (returns !== "set of squares" && returns !== "fileset") {
    const [, squares, files] = steps.at(-1) ?? ["", 0n];
    return [...steps, [`${sentence}: ${said(returns, answer)}`, squares, files]];
  }
  const reached = step(sentence, returns, answer);
  return steps.length && !last && steps.at(-1)[1] === reached[1] ? steps : [...steps, reached];
}
