// Asks Node what the patterns of regex_inputs.json mean and writes regex_answers.jsonl. Run by hand with Node 20:
//
//     node tests/matchex/data/generate_regex_answers.mjs
//
// One line per pattern and subject: the answer is "error" (no valid pattern), null (no match) or the spans of the groups,
// that of the whole match first, null for groups that took no part. Spans count code points. One pattern of each construct
// is also asked about everything in `everywhere`: the empty text, and the JSON text of values that are no text.
import { readFileSync, writeFileSync } from 'node:fs';

const folder = new URL('.', import.meta.url);
const { patterns, everywhere } = JSON.parse(readFileSync(new URL('regex_inputs.json', folder), 'utf8'));

function answer(source, flags, subject) {
  let pattern;
  try {
    pattern = new RegExp(source, flags.includes('d') ? flags : flags + 'd');
  } catch (error) {
    if (error instanceof SyntaxError) return 'error';
    throw error;
  }
  const found = pattern.exec(subject);
  const points = (units) => [...subject.slice(0, units)].length;
  return found && found.indices.map((span) => (span ? span.map(points) : null));
}

// Line separators and look-alikes stay visible in the data.
const ascii = (json) => json.replace(/[\u007f-\uffff]/g, (unit) => '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'));

const lines = patterns.flatMap(({ construct, source, flags, subjects }) =>
  subjects.map((subject) => ascii(JSON.stringify({ construct, source, flags, subject, answer: answer(source, flags, subject) }))),
);
const constructs = new Map();
for (const { construct, source, flags } of patterns) {
  if (!constructs.has(construct) && answer(source, flags, '') !== 'error') constructs.set(construct, { source, flags });
}
for (const [construct, { source, flags }] of constructs) {
  for (const value of everywhere) {
    const subject = typeof value === 'string' ? value : JSON.stringify(value);
    lines.push(ascii(JSON.stringify({ construct, source, flags, subject, value, answer: answer(source, flags, subject) })));
  }
}
writeFileSync(new URL('regex_answers.jsonl', folder), lines.join('\n') + '\n');
console.log(`${patterns.length} patterns, ${lines.length} answers by Node ${process.version}`);
