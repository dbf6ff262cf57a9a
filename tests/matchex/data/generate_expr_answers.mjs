// Writes expr_javascript.jsonl and expr_differences.jsonl: expressions with the answers that Node gives to them.
// Run by hand with Node 20 in this folder: node generate_expr_answers.mjs
//
// A case that begins with "~" is a boundary (empty, out of range, extreme); one with "!" meets a wrong kind or something
// undefined, and Node throws. Where our values differ from JavaScript's, the case stands in `differences`, with our
// answer (or an error, and a part of its message) and the reason.
import { writeFileSync } from 'node:fs'

const scope = {
  actual: {
    price: 42, quantity: 10, half: 2.5, zero: 0, minus: -7, name: 'Ann', text: 'Hello World', blank: '', padded: '  x ',
    csv: 'a,b,,c', date: '2024-01-31', flag: true, off: false, nothing: null, tags: ['a', 'b', 'c'], nums: [3, 1, 2],
    empty: [], nested: [1, [2, [3, [4]]]], user: { name: 'Bob', age: 30, address: { city: 'Rome' } }, none: {},
    items: [{ id: 1, v: 'a', n: 5 }, { id: 2, v: 'b', n: 3 }, { id: 3, v: 'a', n: 9 }], json: '{"a":[1,2.5,null]}',
  },
  data: { limit: 5, role: 'admin' },
}

const cases = {
  'number literal': ['0x1f', '1_000', '.5', '1e3', '~9007199254740991', '~0', '0b101', '0o17', '!1.5.x.y'],
  'text literal': ["'a'", '"a"', "'it\\'s'", "'\\n\\t\\\\'", "~''", "'\\u00e9\\x41\\u{1F600}'", '!"a".b.c'],
  'list literal': ['[1, 2]', '[1, [2], "x"]', '~[]', '[1, 2,]', '[actual.price, actual.name]', '![1][5].x'],
  'object literal': ['({a: 1})', "({'a b': 1, c: [2]})", '~({})', '({["k" + "1"]: 2})', '({if: 1, class: 2})', '({a: {b: 1}}).a.b', '!({a: 1}).b.c'],
  'object shorthand': ['[1].map(x => ({x}))', '[1].map(x => ({x, y: 2}))[0].y', '[[1, 2]].map(([a, b]) => ({a, b}))', '~[].map(x => ({x}))', '![1].map(x => ({zz}))'],
  'spread': ['[...actual.tags, "d"]', '[...actual.empty]', '~[...""]', '[..."ab"]', '({...actual.none, a: 1})', '({...{a: 1, b: 2}, b: 3})', 'Math.max(...actual.nums)', '![...actual.price]', '![...actual.nothing]'],
  'template literal': ['`a`', '`Hi ${actual.name}!`', '`${1 + 1}`', '~``', '`${`in ${1}`}`', '`${true} ${null}`', '`$5 ${0.5} \\``', '`${1e21} ${1e-7} ${1.0}`', '!`${zzz}`'],
  'regex literal': ['/l+/.test(actual.text)', '/^hello/i.test(actual.text)', '/[/]/.test("a/b")', '~/(?:)/.test("")', '/\\d{2}/.test("a12")', '!/a/.zzz()'],
  '===': ['actual.price === 42', "actual.price === '42'", 'actual.name === "Ann"', 'null === null', 'true === 1', '~NaN === NaN', '0 === -0', '!actual.zzz.b === 1', '!zzz === 1'],
  '!==': ['actual.price !== 42', "actual.price !== '42'", 'actual.nothing !== null', '~NaN !== NaN', 'false !== 0', '!actual.zzz.b !== 1'],
  '==': ['actual.price == 42', 'actual.name == "Ann"', '1 == 1.0', 'null == null', '~NaN == NaN', '!actual.zzz.b == 1'],
  '!=': ['actual.price != 42', 'actual.name != "Bob"', '1 != 1.0', '~NaN != NaN', '!zzz != 1'],
  'undefined': ['actual.zzz === undefined', 'actual.price === undefined', 'actual.zzz !== undefined', 'undefined === undefined', 'undefined === actual.zzz', '~actual.tags[9] === undefined', 'actual.user.zzz !== undefined', '!actual.zzz.b === undefined'],
  '<': ['1 < 2', '2 < 1', "'a' < 'b'", "~'' < 'a'", 'actual.zero < actual.half', '~NaN < 1', '!zzz < 1'],
  '<=': ['1 <= 1', '2 <= 1', "'b' <= 'a'", '~Infinity <= Infinity', '!actual.zzz.b <= 1'],
  '>': ['actual.price > 41', "'B' > 'a'", '1 > 1', '~1 > NaN', '-1 > -2', '!zzz > 1'],
  '>=': ['actual.price * actual.quantity >= 500', '1 >= 1', "'a' >= 'b'", '~-Infinity >= 0', '!zzz >= 1'],
  'ordering beside ===': ['1 < 2 === true', 'actual.price > 1 === actual.half > 1', '1 > 2 !== true', '~0 < 0 === false', '!zzz < 1 === true'],
  '+': ['1 + 2', '0.1 + 0.2', "'a' + 'b'", "~'' + ''", '1 + -1', 'actual.name + "!"', '!zzz + 1'],
  '-': ['1 - 2', '0.3 - 0.1', 'actual.price - actual.half', '~0 - 0', '5 - 3 - 1', '!actual.zzz.b - 1'],
  '*': ['6 * 7', '0.1 * 3', '-2 * 3', '~0 * 5', '1e200 * 1e200', '!zzz * 2'],
  '/': ['1 / 2', '7 / 2', '6 / 3', '~0 / 5', '-1 / 4', '!1 / zzz'],
  '%': ['7 % 3', '7.5 % 2', '~0 % 5', '6 % 3', '10 % actual.quantity', '!zzz % 2'],
  '**': ['2 ** 10', '2 ** 0.5', '2 ** -1', '~0 ** 0', '2 ** 3 ** 2', '(-8) ** (1 / 3)', '!zzz ** 2'],
  'unary -': ['-actual.price', '-(-1)', '- -1', '~-0.5', '-2 * -3', '!-zzz'],
  'unary +': ['+1', '+actual.half', '+-1', '~+0', '1 + +1', '!+zzz'],
  '!': ['!true', '!0', '!!actual.name', '~!""', '!null', '!NaN', '!actual.flag === false', '!!zzz'],
  '&&': ['true && false', '1 && 2', '0 && zzz', "~'' && 1", 'actual.flag && actual.name', 'null && 1', '!true && zzz', '!zzz && true'],
  '||': ['false || true', "0 || 'x'", '1 || zzz', "~'' || 0", 'null || actual.name', '1 || 2 && 0', '!false || zzz'],
  '??': ['null ?? 1', '0 ?? 1', 'actual.zzz ?? 5', '~actual.nothing ?? null ?? "z"', "'' ?? 'x'", 'actual.user?.zzz ?? 2', '(actual.zzz ?? 1) + 1', '!actual.zzz.b ?? 1'],
  '?:': ['true ? 1 : 2', 'actual.price > 50 ? "a" : "b"', 'false ? 1 : true ? 2 : 3', '~"" ? 1 : 2', '0 ? zzz : 1', 'true?.5:1', '!true ? zzz : 1'],
  '?.': ['actual?.name', 'actual.zzz?.b === undefined', 'actual.nothing?.b.c.d === undefined', 'actual.user?.address?.city', 'actual.zzz?.[0] === undefined', 'actual.tags?.[0]', '~actual.nothing?.trim() ?? "none"', 'actual.name?.trim()', '!actual.user?.zzz.b', '!(actual.zzz?.a).b'],
  'typeof': ['typeof 1', "typeof 'a'", 'typeof null', 'typeof []', 'typeof {}', 'typeof true', 'typeof zzz', 'typeof actual.zzz', 'typeof Math.max', 'typeof parseInt', '~typeof undefined', 'typeof NaN', 'typeof typeof 1', "typeof actual.name === 'string'", '!typeof actual.zzz.b'],
  'in': ["'price' in actual", "'zzz' in actual", "~'' in actual", "'age' in actual.user", "!'a' in zzz", "!('a' in actual.name.zzz)"],
  'index': ['actual.tags[0]', 'actual.tags[2]', "actual['name']", 'actual["user"]["age"]', 'actual.items[1].v', 'actual.name[0]', 'actual.tags[1 + 1]', '~actual.tags[3] === undefined', '!actual.tags[9].x', '!actual.nothing[0]'],
  'member': ['actual.user.name', 'actual.user.address.city', 'data.role', '~actual.nothing', 'actual.off', '!actual.nothing.x', '!actual.zzz.x'],
  'arrow function': ['[1, 2].map(x => x * 2)', '[1, 2].map((x) => x)', '[5, 6].map((x, i) => i)', '[1].map((x, i, all) => all.length)', '[1].map(() => 7)', '[1, 2].filter(x => actual.price > 1 && x > 1)', '[[1, 2]].map(([a, b]) => a + b)', '[{a: 1}].map(({a}) => a)', '[{a: 1}].map(({a: z}) => z + 1)', '[1, 2].map(x => [3, 4].map(y => x * y))', '[1].map(x => ({v: x}))', '~[].map(x => zzz)', '![1].map(x => zzz)'],
  'length': ['actual.name.length', 'actual.tags.length', "~''.length", '~[].length', '"ab".length + [1].length', '!actual.nothing.length', '!actual.zzz.length'],

  'text includes': ["actual.text.includes('World')", "actual.text.includes('world')", "~''.includes('')", "'abc'.includes('a', 1)", "'abc'.includes('abcd')", "!(5).includes('5')", "!actual.nothing.includes('a')"],
  'startsWith': ["actual.text.startsWith('Hello')", "actual.text.startsWith('hello')", "~''.startsWith('')", "'abc'.startsWith('b', 1)", "'a'.startsWith('ab')", "!(5).startsWith('5')"],
  'endsWith': ["actual.text.endsWith('World')", "actual.text.endsWith('Hello')", "~''.endsWith('')", "'abc'.endsWith('b', 2)", "'a'.endsWith('ba')", "!actual.flag.endsWith('e')"],
  'trim': ['actual.padded.trim()', "~''.trim()", "~'  '.trim()", "'\\n a\\t'.trim()", "'\\ufeffa'.trim()", '!(5).trim()'],
  'trimStart': ['actual.padded.trimStart()', "~''.trimStart()", "~'  '.trimStart()", "' a '.trimStart()", '!actual.nothing.trimStart()'],
  'trimEnd': ['actual.padded.trimEnd()', "~''.trimEnd()", "~'  '.trimEnd()", "' a '.trimEnd()", '!true.trimEnd()'],
  'split': ["actual.csv.split(',')", "'abc'.split('')", "~''.split(',')", "'a1b22c'.split(/\\d+/)", "'a1b'.split(/(\\d)/)", "'abc'.split(/(?:)/)", "~''.split(/x/)", "~'a'.split('b')", "!(5).split(',')"],
  'replace': ["'abc'.replace('b', 'X')", "'abab'.replace(/b/, 'X')", "'abab'.replace(/b/g, 'X')", "'John Smith'.replace(/(\\w+) (\\w+)/, '$2 $1')", "'ab'.replace(/b/, m => m + m)", "'2024-01'.replace(/(?<y>\\d+)-(?<m>\\d+)/, '$<m>/$<y>')", "'abc'.replace(/b/, '[$&$$]')", "~'abc'.replace('z', 'X')", "~''.replace('', 'x')", "'aXbX'.replace(/x/gi, '')", "!(5).replace('5', '6')"],
  'replaceAll': ["'abab'.replaceAll('b', 'X')", "'abab'.replaceAll(/b/g, 'X')", "~'abc'.replaceAll('z', '')", "~'ab'.replaceAll('', '-')", "'1,234,567'.replaceAll(',', '')", "'ab'.replaceAll('b', x => x + '!')", "!(5).replaceAll('5', '6')"],
  'text slice': ["'hello'.slice(1)", "'hello'.slice(1, 3)", "'hello'.slice(-3)", "'hello'.slice(-3, -1)", "~'hello'.slice(9)", "~'hello'.slice(3, 1)", "'hello'.slice()", '!(5).slice(1)'],
  'substring': ["'hello'.substring(1)", "'hello'.substring(1, 3)", "'hello'.substring(3, 1)", "~'hello'.substring(-3)", "~'hello'.substring(9)", '!(5).substring(1)'],
  'toLowerCase': ["'AbC'.toLowerCase()", "~''.toLowerCase()", "'ÄÖ'.toLowerCase()", "'123'.toLowerCase()", '!(5).toLowerCase()'],
  'toUpperCase': ["'AbC'.toUpperCase()", "~''.toUpperCase()", "'straße'.toUpperCase()", "'é'.toUpperCase()", '!actual.tags.toUpperCase()'],
  'match': ["[...'a12b3'.match(/\\d+/)]", "'a12b3'.match(/\\d+/g)", "~'abc'.match(/\\d/)", "~'abc'.match(/\\d/g)", "[...'ab'.match(/(a)(b)/)]", "'ab'.match(/b/).index", "'2024-01'.match(/(?<y>\\d+)-/).groups.y", "'abc'.match(/b/) ? 'yes' : 'no'", '!(5).match(/5/)'],
  'matchAll': ["[...'a1b2'.matchAll(/[a-z](\\d)/g)].length", "[...'a1b2'.matchAll(/[a-z](\\d)/g)].map(m => m[1])", "~[...'ab'.matchAll(/\\d/g)]", "[...'xax'.matchAll(/x/g)].map(m => m.index)", '![...(5).matchAll(/5/g)]'],
  'test': ["/a/.test('cat')", "/^a/.test('cat')", "~/^$/.test('')", "/A/i.test('cat')", "/a.c/s.test('a\\nc')", "/^b/m.test('a\\nb')", "/\\p{L}/u.test('é')", "!actual.name.test('a')"],
  'search': ["'abc'.search(/b/)", "~'abc'.search(/z/)", "~''.search(/a/)", "'aab'.search(/b/)", '!(5).search(/5/)'],
  'text indexOf': ["'hello'.indexOf('l')", "'hello'.indexOf('z')", "'hello'.indexOf('l', 3)", "~''.indexOf('')", "~'abc'.indexOf('')", "!(5).indexOf('5')"],
  'text lastIndexOf': ["'hello'.lastIndexOf('l')", "'hello'.lastIndexOf('z')", "~''.lastIndexOf('')", "'aXa'.lastIndexOf('a')", "!(5).lastIndexOf('5')"],
  'text at': ["'abc'.at(0)", "'abc'.at(-1)", "~'abc'.at(5) === undefined", "~''.at(0) === undefined", "'é'.at(0)", '!(5).at(0)'],
  'charAt': ["'abc'.charAt(1)", "'abc'.charAt()", "~'abc'.charAt(9)", "~'abc'.charAt(-1)", '!(5).charAt(0)'],
  'text concat': ["'a'.concat('b', 'c')", "'a'.concat()", "~''.concat('')", "'a'.concat('b').concat('c')", "!(5).concat('a')"],
  'repeat': ["'ab'.repeat(2)", "~'ab'.repeat(0)", "~''.repeat(5)", "'-'.repeat(3)", "!'a'.repeat(-1)", '!(5).repeat(2)'],
  'padStart': ["'5'.padStart(3, '0')", "'abc'.padStart(2)", "'a'.padStart(3)", "~'a'.padStart(0)", "'a'.padStart(6, 'xyz')", "~'a'.padStart(5, '')", "!(5).padStart(3, '0')"],
  'padEnd': ["'5'.padEnd(3, '0')", "'abc'.padEnd(2)", "'a'.padEnd(3)", "~''.padEnd(0)", "'a'.padEnd(6, 'xyz')", '!actual.flag.padEnd(3)'],
  'toString': ['(5).toString()', '(255).toString(16)', "'a'.toString()", 'true.toString()', '(0.5).toString()', '~(1e21).toString()', '(-255).toString(2)', '~(0).toString(36)', '!null.toString()'],
  'toFixed': ['(1.005).toFixed(2)', '(2.5).toFixed()', '(-2.5).toFixed(0)', '~(0).toFixed(2)', '(1.45).toFixed(1)', '(12345.678).toFixed(1)', '~(1e21).toFixed(2)', '(-0.0001).toFixed(2)', "!'5'.toFixed(2)", '!(5).toFixed(101)'],

  'some': ['actual.nums.some(x => x > 2)', 'actual.nums.some(x => x > 5)', '~[].some(x => true)', "actual.items.some(i => i.v === 'b')", '[0, ""].some(x => x)', '![1].some(5)', "!'abc'.some(x => x)"],
  'every': ['actual.nums.every(x => x > 0)', 'actual.nums.every(x => x > 1)', '~[].every(x => false)', 'actual.items.every(i => i.id > 0)', '[1, "a"].every(x => x)', '![1].every()', '!actual.none.every(x => x)'],
  'map': ['actual.nums.map(x => x * 2)', 'actual.items.map(i => i.v)', '~[].map(x => x)', 'actual.tags.map((t, i) => i)', "['1', '2'].map(Number)", '[1, 2].map(String)', '![1].map(null)', '!(5).map(x => x)'],
  'filter': ['actual.nums.filter(x => x > 1)', "actual.items.filter(i => i.v === 'a').length", '~[].filter(x => x)', '[0, 1, "", "a", null].filter(Boolean)', '[5, 6, 7].filter((x, i) => i % 2 === 0)', '![1].filter(1)', "!'a'.filter(x => x)"],
  'find': ['actual.nums.find(x => x < 3)', 'actual.items.find(i => i.id === 2).v', '~[].find(x => true) === undefined', '[1].find(x => x > 5) === undefined', 'actual.nums.find((x, i) => i === 2)', '![1].find(x => x > 5).v', '![1].find(3)'],
  'findIndex': ['actual.nums.findIndex(x => x === 1)', 'actual.nums.findIndex(x => x > 5)', '~[].findIndex(x => true)', '[1, 2].findIndex((x, i) => i === 1)', "!'a'.findIndex(x => x)"],
  'reduce': ['actual.nums.reduce((a, b) => a + b)', 'actual.nums.reduce((a, b) => a + b, 10)', '~[].reduce((a, b) => a + b, 0)', '[5].reduce((a, b) => zzz)', 'actual.items.reduce((s, i) => s + i.n, 0)', "['a', 'b'].reduce((a, b) => b + a, '')", '[1, 2].reduce((a, b, i) => a + i, 0)', '![].reduce((a, b) => a + b)', '![1].reduce(1)'],
  'flat': ['actual.nested.flat()', 'actual.nested.flat(2)', 'actual.nested.flat(Infinity)', '~[].flat()', '[[1], [2]].flat()', '~[1, [2]].flat(0)', "!'a'.flat()"],
  'flatMap': ['[1, 2].flatMap(x => [x, x * 2])', '[1, 2].flatMap(x => x)', '~[].flatMap(x => [x])', '[[1], [2]].flatMap(x => x)', '[1].flatMap(x => [[x]])', '![1].flatMap(5)'],
  'join': ['actual.tags.join()', "actual.tags.join('-')", "~[].join('-')", "[1, 2.5, true].join(' ')", "['a', null, 'b'].join('+')", "~['a'].join('')", "!'abc'.join('-')"],
  'list includes': ["actual.tags.includes('a')", "actual.tags.includes('z')", '~[].includes(1)', "[1].includes('1')", '[null].includes(null)', '[1, 2].includes(1, 1)', '[1, 2].includes(2, -1)', '!(5).includes(5)'],
  'list indexOf': ["actual.tags.indexOf('b')", "actual.tags.indexOf('z')", '~[].indexOf(1)', "[1].indexOf('1')", '[1, 2, 1].indexOf(1, 1)', '!actual.none.indexOf(1)'],
  'list lastIndexOf': ['[1, 2, 1].lastIndexOf(1)', '[1].lastIndexOf(2)', '~[].lastIndexOf(1)', "['a', 'a'].lastIndexOf('a')", '!actual.none.lastIndexOf(1)'],
  'list at': ['actual.tags.at(0)', 'actual.tags.at(-1)', '~actual.tags.at(9) === undefined', '~[].at(0) === undefined', 'actual.nums.at(1)', '!actual.none.at(0)'],
  'sort': ['[3, 1, 2].sort((a, b) => a - b)', '[3, 1, 2].sort((a, b) => b - a)', "['b', 'a', 'C'].sort()", '~[].sort()', 'actual.items.map(i => i.n).sort((a, b) => a - b)[0]', '[1, 2, 3].sort((a, b) => 0)', "!'ba'.sort()", '![2, 1].sort(5)'],
  'reverse': ['[1, 2, 3].reverse()', '~[].reverse()', '[[1], 2].reverse()', "'abc'.split('').reverse().join('')", "!'abc'.reverse()"],
  'list slice': ['actual.tags.slice(1)', 'actual.tags.slice(0, 2)', 'actual.tags.slice(-1)', '~actual.tags.slice(9)', '~actual.tags.slice(2, 1)', 'actual.tags.slice()', '!actual.none.slice(1)'],
  'list concat': ['[1].concat([2, 3])', '[1].concat(2)', '~[].concat()', '[1].concat([[2]], 3)', '!actual.none.concat([1])'],
  'list keys': ['[...actual.tags.keys()]', '~[...[].keys()]', "[...['x'].keys()]", '[...actual.nums.keys()].length', '!(5).keys()'],
  'list values': ['[...actual.tags.values()]', '~[...[].values()]', '[...[1, [2]].values()]', '[...actual.nums.values()].length', '!(5).values()'],
  'list entries': ['[...actual.tags.entries()]', '~[...[].entries()]', "[...['x'].entries()]", '[...actual.tags.entries()].map(([i, t]) => `${i}${t}`)', '!(5).entries()'],

  'Object.keys': ['Object.keys(actual.user)', "Object.keys(actual).includes('price')", '~Object.keys({})', '~Object.keys([])', 'Object.keys(["a", "b"])', '!Object.keys(null)'],
  'Object.values': ['Object.values({a: 1, b: 2})', '~Object.values({})', 'Object.values([5, 6])', 'Object.values(actual.user).length', '!Object.values(null)'],
  'Object.entries': ['Object.entries({a: 1})', '~Object.entries({})', 'Object.entries(actual.user).length', "Object.entries({a: 1, b: 2}).every(([k, v]) => v > 0)", 'Object.entries(["x"])', '!Object.entries(null)'],
  'Object.fromEntries': ["Object.fromEntries([['a', 1]])", '~Object.fromEntries([])', 'Object.fromEntries(Object.entries(actual.user).filter(([k, v]) => k === "age"))', 'Object.fromEntries([["a", 1], ["a", 2]])', '!Object.fromEntries(5)'],
  'Array.isArray': ['Array.isArray([])', 'Array.isArray(actual.tags)', "Array.isArray('a')", '~Array.isArray(null)', 'Array.isArray({length: 0})', '!Array.isArray(zzz)'],
  'Array.from': ["Array.from('abc')", 'Array.from([1, 2], x => x * 2)', "~Array.from('')", 'Array.from([1])', '!Array.from(null)'],
  'Math.abs': ['Math.abs(-5)', 'Math.abs(2.5)', '~Math.abs(0)', 'Math.abs(actual.minus)', '!Math.abs(zzz)'],
  'Math.min': ['Math.min(3, 1, 2)', 'Math.min(...actual.nums)', '~Math.min()', 'Math.min(1, NaN)', '!Math.min(zzz)'],
  'Math.max': ['Math.max(3, 1, 2)', 'Math.max(...actual.nums)', '~Math.max()', 'Math.max(1, NaN)', '!Math.max(zzz)'],
  'Math.floor': ['Math.floor(2.7)', 'Math.floor(-2.1)', '~Math.floor(0)', 'Math.floor(NaN)', '!Math.floor(zzz)'],
  'Math.ceil': ['Math.ceil(2.1)', 'Math.ceil(-2.7)', '~Math.ceil(0)', 'Math.ceil(5)', '!Math.ceil(zzz)'],
  'Math.round': ['Math.round(2.5)', 'Math.round(-2.5)', 'Math.round(2.4)', '~Math.round(0.49999999999999994)', 'Math.round(-1.2)', '~Math.round(Infinity)', '!Math.round(zzz)'],
  'Math.trunc': ['Math.trunc(2.7)', 'Math.trunc(-2.7)', '~Math.trunc(0)', 'Math.trunc(1e20)', '!Math.trunc(zzz)'],
  'Math.sign': ['Math.sign(-3)', 'Math.sign(4)', '~Math.sign(0)', 'Math.sign(NaN)', '!Math.sign(zzz)'],
  'Math.sqrt': ['Math.sqrt(16)', 'Math.sqrt(2)', '~Math.sqrt(0)', '~Math.sqrt(-1)', '!Math.sqrt(zzz)'],
  'Math.pow': ['Math.pow(2, 10)', 'Math.pow(2, 0.5)', '~Math.pow(0, 0)', 'Math.pow(4, -1)', '!Math.pow(zzz, 1)'],
  'Math.log': ['Math.log(1)', 'Math.log(10)', '~Math.log(0)', '~Math.log(-1)', 'Math.log10(1000)', 'Math.log2(8)', '!Math.log(zzz)'],
  'Math.exp': ['Math.exp(0)', 'Math.exp(1)', '~Math.exp(-Infinity)', '~Math.exp(1000)', '!Math.exp(zzz)'],
  'Math.hypot': ['Math.hypot(3, 4)', 'Math.hypot(5)', '~Math.hypot()', 'Math.hypot(1, 2, 2)', '!Math.hypot(zzz)'],
  'Math constants': ['Math.PI', 'Math.E', 'Math.PI > 3', '~Math.SQRT2', 'Math.LN2', '!Math.ZZZ.x'],
  'JSON.parse': ['JSON.parse(actual.json).a', "JSON.parse('1.5')", "~JSON.parse('[]')", 'JSON.parse(\'"a"\')', 'JSON.parse(\'{"a": {"b": true}}\').a.b', "!JSON.parse('{')", "!JSON.parse('')"],
  'JSON.stringify': ['JSON.stringify({a: 1, b: [1.5, null, true]})', "JSON.stringify('a\"b')", '~JSON.stringify([])', '~JSON.stringify({})', 'JSON.stringify(1.0)', 'JSON.stringify(NaN)', "JSON.stringify('é')", 'JSON.stringify(null)', '!JSON.stringify(zzz)'],
  'Number': ["Number('42')", "Number('1.5e3')", "Number(' 7 ')", "~Number('abc')", 'Number(true)', 'Number(5)', "Number('0x1F')", "Number('-Infinity')", "Number('1_000')", '!Number(zzz)'],
  'String': ['String(5)', 'String(1.5)', 'String(true)', '~String(null)', "String('a')", "~String('')", 'String(-0.0000001)', 'String(123456789012345680000)', '!String(zzz)'],
  'Boolean': ['Boolean(1)', 'Boolean(0)', "~Boolean('')", "Boolean('false')", 'Boolean(null)', 'Boolean(NaN)', '!Boolean(zzz)'],
  'parseInt': ["parseInt('42px')", "parseInt('ff', 16)", "~parseInt('px')", "parseInt('-7.9')", "parseInt('0x1f')", "~parseInt('')", 'parseInt(7.9)', "parseInt('101', 2)", '!parseInt(zzz)'],
  'parseFloat': ["parseFloat('1.5abc')", "parseFloat('.5')", "~parseFloat('abc')", "parseFloat('-2e2')", "~parseFloat('Infinity')", 'parseFloat(2.5)', '!parseFloat(zzz)'],
  'isNaN': ['isNaN(NaN)', 'isNaN(1)', "isNaN(Number('x'))", '~isNaN(Infinity)', 'isNaN(parseInt("a"))', '!isNaN(zzz)'],
  'isFinite': ['isFinite(1)', 'isFinite(Infinity)', '~isFinite(NaN)', 'isFinite(-1.5)', '!isFinite(zzz)'],
  'Number.isInteger': ['Number.isInteger(5)', 'Number.isInteger(5.0)', 'Number.isInteger(5.5)', "Number.isInteger('5')", '~Number.isInteger(Infinity)', 'Number.isInteger(null)', '!Number.isInteger(zzz)'],
  'Number constants': ['Number.MAX_SAFE_INTEGER', 'Number.EPSILON', '~Number.MIN_SAFE_INTEGER', '1 < Number.MAX_VALUE', '!Number.ZZZ.x'],
  'combinations': [
    "actual.price * actual.quantity >= 400 && data.role === 'admin'",
    'actual.items.filter(i => i.n > 4).map(i => i.id).join()',
    "Object.entries(actual.user).map(([k, v]) => `${k}=${typeof v}`).join('&')",
    'actual.items.reduce((a, {n}) => Math.max(a, n), 0)',
    "actual.text.split(' ').map(w => w[0]).join('')",
    "actual.csv.split(',').filter(x => x).length === 3",
    '(actual.user?.address?.zip ?? "none") === "none"',
    'JSON.stringify(actual.items.map(({id, v}) => ({id, v})))',
    "actual.tags.every((t, i) => t === 'abc'[i])",
    '!actual.items.some(i => i.n > 100)',
    "typeof actual.price === 'number' ? actual.price.toFixed(2) : 'n/a'",
    '~actual.empty.length ? 1 : 0',
  ],
}

const differences = [
  ['equality', '[1, 2] === [1, 2]', true, 'equality is deep'],
  ['equality', '({a: 1}) == ({a: 1})', true, 'equality is deep'],
  ['equality', '[[1]].includes([1])', true, 'equality is deep'],
  ['equality', "1 == '1'", false, 'no coercion'],
  ['equality', 'true == 1', false, 'a boolean is not a number'],
  ['equality', "'' == 0", false, 'no coercion'],
  ['equality', 'null == undefined', false, 'null differs from undefined'],
  ['equality', 'actual.nothing == undefined', false, 'null differs from undefined'],
  ['equality', '[1] == 1', false, 'no coercion'],
  ['equality', '9007199254740993 === 9007199254740992', false, 'integers are exact'],
  ['equality', '[NaN].includes(NaN)', false, 'NaN equals nothing'],
  ['equality', '2 == 2 == 2', true, 'a row of == is a chain, as in Python'],
  ['chain', '3 > 2 > 1', true, 'a row of orderings is a chain, as in Python'],
  ['chain', '1 < 5 < 3', false, 'a row of orderings is a chain, as in Python'],
  ['truth', '[] ? 1 : 2', 2, 'an empty list is false'],
  ['truth', '({}) ? 1 : 2', 2, 'an empty object is false'],
  ['truth', '!actual.empty', true, 'an empty list is false'],
  ['truth', 'actual.none || 5', 5, 'an empty object is false'],
  ['truth', 'Boolean([])', false, 'an empty list is false'],
  ['truth', '[[], [1]].filter(x => x).length', 1, 'an empty list is false'],
  ['truth', '!actual.zzz', { error: 'zzz' }, 'a field that is not there is an error'],
  ['truth', 'actual.zzz || 1', { error: 'zzz' }, 'a field that is not there is an error; ?? allows it'],
  ['truth', 'actual.zzz ? 1 : 2', { error: 'zzz' }, 'a field that is not there is an error'],
  ['ordering', "'10' > 9", { value: false }, 'no coercion'],
  ['ordering', 'null >= 0', { value: false }, 'no coercion'],
  ['ordering', 'true > 0', { value: false }, 'a boolean is not a number'],
  ['ordering', '[2] > 1', { value: false }, 'no coercion'],
  ['ordering', "'\\u{1F600}' > '\\uff21'", true, 'texts are ordered by code points'],
  ['ordering', 'actual.user?.zzz > 1', { error: 'no order' }, 'undefined has no order'],
  ['arithmetic', "1 + 'a'", { error: 'template' }, 'numbers and texts do not add'],
  ['arithmetic', "'a' + 1", { error: 'template' }, 'numbers and texts do not add'],
  ['arithmetic', "'3' * 2", '33', 'a text is repeated, as in Python'],
  ['arithmetic', "'3' - 1", { error: '- does not take' }, 'no coercion'],
  ['arithmetic', 'true + 1', { error: 'boolean' }, 'a boolean is not a number'],
  ['arithmetic', 'null + 1', { error: 'null' }, 'no coercion'],
  ['arithmetic', '[1] + [2]', [1, 2], 'lists are joined'],
  ['arithmetic', "+'5'", { error: 'Number' }, 'no coercion'],
  ['arithmetic', "-'5'", { error: 'Number' }, 'no coercion'],
  ['arithmetic', '1 / 0', { error: 'division by zero' }, 'division by zero is an error'],
  ['arithmetic', '0 / 0', { error: 'division by zero' }, 'division by zero is an error'],
  ['arithmetic', '5 % 0', { error: 'division by zero' }, 'division by zero is an error'],
  ['arithmetic', '-7 % 3', 2, 'the rest has the sign of the divisor'],
  ['arithmetic', '7 % -3', -2, 'the rest has the sign of the divisor'],
  ['arithmetic', '9007199254740993 + 0', 9007199254740993n, 'integers are exact'],
  ['arithmetic', '2 ** 64', 18446744073709551616n, 'integers are exact'],
  ['arithmetic', '0 ** -1', { error: 'division by zero' }, 'division by zero is an error'],
  ['absence', 'actual.zzz', { error: 'zzz' }, 'a field that is not there is an error'],
  ['absence', 'actual.tags[9]', { error: 'actual.tags[9]' }, 'an item that is not there is an error'],
  ['absence', 'zzz ?? 1', 1, '?? allows a name that is not defined'],
  ['absence', 'zzz?.a === undefined', true, '?. allows a name that is not defined'],
  ['absence', 'zzz === undefined', true, 'a name that is not defined may be compared with undefined'],
  ['absence', '`${actual.user?.zzz}`', { error: 'undefined' }, 'undefined is no text'],
  ['absence', 'String(undefined)', { error: 'undefined' }, 'undefined is no argument'],
  ['absence', 'undefined', { error: 'undefined' }, 'undefined is no answer'],
  ['absence', 'actual.tags.find(t => t === "z")', { error: 'undefined' }, 'undefined is no answer'],
  ['index', 'actual.tags[-1]', 'c', 'negative indexes count from the end'],
  ['index', "'\\u{1F600}'.length", 1, 'texts count code points'],
  ['index', "'\\u{1F600}a'[1]", 'a', 'texts count code points'],
  ['in', "'a' in ['a']", true, '`in` looks for an item of a list'],
  ['in', '0 in [5]', false, '`in` looks for an item of a list'],
  ['in', "'toString' in {}", false, 'nothing is inherited'],
  ['in', "'a' in 'abc'", true, '`in` looks for a part of a text'],
  ['inheritance', 'actual.constructor', { error: 'constructor' }, 'nothing is inherited'],
  ['inheritance', 'actual.__proto__', { error: '__proto__' }, 'nothing is inherited'],
  ['inheritance', 'typeof actual.toString', 'undefined', 'methods are called, never read'],
  ['inheritance', "typeof 'a'.trim", 'undefined', 'methods are called, never read'],
  ['text', '`${[1, 2]}`', '[1,2]', 'lists and objects are written as JSON'],
  ['text', '`${{a: 1}}`', '{"a":1}', 'lists and objects are written as JSON'],
  ['text', 'String([1, 2])', '[1,2]', 'lists and objects are written as JSON'],
  ['text', '[[1, 2], 3].join(";")', '[1,2];3', 'lists and objects are written as JSON'],
  ['text', "'a b'.split()", ['a', 'b'], 'without a separator, blanks separate, as in Python'],
  ['text', "'a,b,c'.split(',', 2)", { error: 'split' }, 'the two languages differ on a second argument'],
  ['text', "'aXbX'.replace('X', '-')", { error: 'replaceAll' }, 'JavaScript replaces the first, Python all: say which'],
  ['text', "'a'.replace('a', '$$')", '$$', '$ means something only with a pattern'],
  ['text', "'a1'.includes(1)", { error: 'takes a text' }, 'no coercion'],
  ['text', "/5/.test(5)", { error: 'takes a text' }, 'no coercion'],
  ['text', "'abc'.match('b')", { error: 'pattern' }, 'a text is no pattern'],
  ['text', "'a'.concat(1)", { error: 'takes a text' }, 'no coercion'],
  ['text', "'ab'.match(/(z)?b/)[1]", null, 'a group that took no part is null'],
  ['text', "'ab'.replaceAll(/b/, 'X')", 'aX', 'replaceAll does not need the flag g'],
  ['text', "'5'.padStart('3')", { error: 'whole number' }, 'no coercion'],
  ['text', "'abc'.substring('1')", { error: 'whole number' }, 'no coercion'],
  ['list', '[10, 9, 1].sort()', [1, 9, 10], 'the natural order, not that of texts'],
  ['list', "[2, 'a'].sort()", { error: 'no order' }, 'no coercion'],
  ['list', '[2, 1].sort((a, b) => a > b)', { error: 'number' }, 'a boolean is not a number'],
  ['list', "['1', '2', '3'].map(parseInt)", [1, 2, 3], 'a function given by name gets the item alone'],
  ['number', "Number('')", { nan: true }, 'an empty text is no number'],
  ['number', 'Number(null)', { error: 'Number takes' }, 'no coercion'],
  ['number', 'Number([])', { error: 'Number takes' }, 'no coercion'],
  ['number', "Number('9007199254740993')", 9007199254740993n, 'integers are exact'],
  ['number', "isNaN('a')", { error: 'isNaN takes' }, 'no coercion'],
  ['number', "Math.abs('-5')", { error: 'takes a number' }, 'no coercion'],
  ['number', 'Math.max([1, 2])', { error: 'Math.max' }, 'no coercion'],
  ['number', "parseInt(null)", { error: 'parseInt takes' }, 'no coercion'],
  ['json', "JSON.parse('9007199254740993')", 9007199254740993n, 'integers are exact'],
  ['json', "JSON.parse('{\"a\":1,\"a\":2}')", { error: 'JSON.parse' }, 'a key must not be repeated'],
  ['json', "Object.keys('ab')", { error: 'Object.keys' }, 'no coercion'],
  ['json', 'Object.keys(5)', { error: 'Object.keys' }, 'no coercion'],
  ['date', "typeof Date.parse('2024-01-01')", 'object', 'a date is a date, not a number of milliseconds'],
  ['tuple', '(1, 2)', [1, 2], 'a tuple of Python, not the comma operator'],
  ['floor', '7 // 2', 3, '// divides and rounds down, it begins no comment'],
]

function encode(value) {
  if (value === undefined) return { undefined: true }
  if (typeof value === 'number' && Number.isNaN(value)) return { nan: true }
  if (value === Infinity || value === -Infinity) return { infinity: value > 0 ? 1 : -1 }
  if (typeof value === 'bigint') return { integer: String(value) }
  if (typeof value === 'function' || typeof value === 'symbol') return { function: true }
  return { value }
}

function answer(text) {
  try {
    const run = new Function(...Object.keys(scope), `return (${text}\n)`)
    return encode(run(...Object.values(structuredClone(scope))))
  } catch (error) {
    return { error: error.name }
  }
}

const kinds = { '~': 'boundary', '!': 'wrong kind' }
const lines = []
for (const [construct, texts] of Object.entries(cases)) {
  for (const written of texts) {
    // "!" is also an operator: a case is one of a wrong kind only if Node throws on the rest
    const marked = written[0] === '~' || (written[0] === '!' && answer(written.slice(1)).error !== undefined)
    const expr = marked ? written.slice(1) : written
    const given = answer(expr)
    const kind = marked ? kinds[written[0]] : 'plain'
    if ((kind === 'wrong kind') !== (given.error !== undefined) || given.undefined || given.function) {
      throw new Error(`${construct}: ${expr} gives ${JSON.stringify(given)}`)
    }
    lines.push(JSON.stringify({ construct, kind, expr, answer: given }))
  }
}
writeFileSync('expr_javascript.jsonl', JSON.stringify({ scope }) + '\n' + lines.join('\n') + '\n')

const differing = differences.map(([construct, expr, ours, reason]) => {
  const wanted = ours !== null && typeof ours === 'object' && (ours.error || ours.nan) ? ours : encode(ours)
  return JSON.stringify({ construct, expr, ours: wanted, node: answer(expr), reason })
})
writeFileSync('expr_differences.jsonl', JSON.stringify({ scope }) + '\n' + differing.join('\n') + '\n')
console.log(`${lines.length} cases of ${Object.keys(cases).length} constructs, ${differing.length} differences`)
