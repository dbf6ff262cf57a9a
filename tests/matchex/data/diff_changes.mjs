// Writes diff_changes.jsonl: what jsdiff 8 (npm package "diff") answers. Run: node diff_changes.mjs > diff_changes.jsonl
import * as jsdiff from "diff";

const types = {
  chars: jsdiff.diffChars,
  words: jsdiff.diffWords,
  wordsWithSpace: jsdiff.diffWordsWithSpace,
  lines: jsdiff.diffLines,
  sentences: jsdiff.diffSentences,
};

const written = [
  ["words", "the  slow brown fox jumps!", "the quick brown fox jumps"],
  ["wordsWithSpace", "a b", "a  b"],
  ["lines", "a\nB\nc", "a\nb\nc"],
  ["lines", "a b", "a\nb"],
  ["lines", "a\r\nb", "a\nb"],
  ["sentences", "Hi there. See you.", "Hi there. Bye now."],
  ["chars", "abc", "abcde"],
  ["chars", "ab", "aXbX"],
  ["chars", "abcd", "abXcdY"],
  ["chars", "", "a"],
  ["chars", "a", ""],
  ["chars", "a😁", "a😀"],
  ["words", "我喜欢猫", "我喜欢狗"],
  ["words", "naïve œuvre", "naive œuvres"],
  ["words", "foo bar baz", "foo baz"],
  ["words", "foo\nbar baz", "foo baz"],
  ["words", "foo baz", "foo\nbar baz"],
  ["words", "foo   bar baz", "foo  baz"],
  ["words", " ", "a"],
];
const options = [
  ["lines", " a\nb ", "a\nb\n", { ignoreWhitespace: true }],
  ["lines", "a\nb", "a\nb\nc", { ignoreNewlineAtEof: true }],
  ["lines", "a\r\nb", "a\nb", { stripTrailingCr: true }],
  ["lines", "a\n\nb", "a\nb\n", { newlineIsToken: true }],
  ["lines", "a\r\n b\n", "a\nb\r\n", { newlineIsToken: true, ignoreWhitespace: true }],
  ["words", "a  b", "a b", { ignoreWhitespace: false }],
  ["words", "The Cat", "the cat sat", { ignoreCase: true }],
  ["chars", "ABC", "abc", { ignoreCase: true }],
  ["chars", "ÀB", "àb", { ignoreCase: true }],
];

let seed = 20240607;
const random = (limit) => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor((seed / 2147483648) * limit);
};
const pick = (list) => list[random(list.length)];
const words = ["foo", "bar", "a", "é", "中", "文", "-", "1", ".", "!"];
const blanks = [" ", "  ", "\n", "\t", "", " \n", "\r\n"];
const text = () => Array.from({ length: random(8) }, () => pick(words) + pick(blanks)).join("").trim();
const drawn = Array.from({ length: 250 }, () => [pick(Object.keys(types)), text(), text()]);

for (const [type, expected, actual, given] of [...written, ...options, ...drawn]) {
  const changes = types[type](expected, actual, given).map((part) => [
    part.added ? "+" : part.removed ? "-" : " ",
    part.value,
    part.count,
  ]);
  console.log(JSON.stringify({ type, expected, actual, options: given ?? {}, changes }));
}
