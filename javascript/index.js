// Chess bitboard patterns as WebAssembly. A set of squares is a BigInt: a1 = bit 0, h1 = bit 7, h8 = bit 63.

import { PATTERNS } from "./patterns.js";

/** The word of an argument; throws what is wrong with it. */
function word(pattern, [name, kind, largest], value) {
  const isSet = kind === "set of squares";
  const type = isSet ? "bigint" : kind === "flag" ? "boolean" : "number";
  if (typeof value !== type) {
    throw new TypeError(`${name} of ${pattern} is a ${kind}: a ${type}, not a ${typeof value}`);
  }
  if (type === "number" && !Number.isInteger(value)) {
    throw new RangeError(`${name} of ${pattern} is a ${kind}, 0 to ${largest}, not ${value}`);
  }
  const bits = BigInt(value);
  if (bits < 0n || bits > BigInt(largest)) {
    throw new RangeError(`${name} of ${pattern} is a ${kind}, 0 to ${isSet ? "2n ** 64n - 1n" : largest}, not ${value}`);
  }
  return bits;
}

/** What a word means; words are signed here. */
function answer(kind, bits) {
  if (kind === "set of squares") return BigInt.asUintN(64, bits);
  return kind === "flag" ? bits !== 0n : Number(bits);
}

/** A function that checks its arguments, around a compiled one. */
function checked(pattern, signature, compiled) {
  const parameters = signature.slice(0, -1);
  const kind = signature.at(-1)[1];
  return (...values) => {
    if (values.length !== parameters.length) {
      const names = parameters.map(([name]) => name).join(", ");
      throw new TypeError(`${pattern} takes ${parameters.length} (${names}), not ${values.length} arguments`);
    }
    return answer(kind, compiled(...values.map((value, index) => word(pattern, parameters[index], value))));
  };
}

async function bytesOf(source) {
  if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) return source;
  const address = new URL(source, import.meta.url);
  if (address.protocol === "file:") return (await import("node:fs/promises")).readFile(address);
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} cannot be loaded: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

/** Load the module; by default the file beside this one. */
export async function load(source = new URL("setwise.wasm", import.meta.url)) {
  const { instance } = await WebAssembly.instantiate(await bytesOf(source), {});
  const topics = {};
  for (const [pattern, signature] of Object.entries(PATTERNS)) {
    const [topic, name] = pattern.split(".");
    topics[topic] ??= {};
    topics[topic][name] = checked(pattern, signature, instance.exports[pattern]);
  }
  return topics;
}
