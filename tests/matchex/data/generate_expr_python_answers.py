"""Write expr_python.jsonl: expressions in Python's spelling with the answers that Python gives to them.

Run by hand in this folder: `python generate_expr_python_answers.py`. A case that begins with "!" must raise in Python
too.
Names are read by subscripts here, because Python's dicts have no fields; tuples and sets become lists.
"""

from __future__ import annotations

import json
from pathlib import Path

SCOPE = {
    "actual": {
        **{"price": 42, "name": "Ann", "text": "Hello World", "padded": "  x ", "nothing": None, "flag": True},
        **{"tags": ["a", "b", "c"], "nums": [3, 1, 2], "empty": [], "user": {"name": "Bob", "age": 30}, "none": {}},
        "items": [{"id": 1, "n": 5}, {"id": 2, "n": 3}],
    },
    "data": {"limit": 5},
}
CASES = {
    "and or not": [
        "1 and 2",
        "0 and 1",
        "0 or 'x'",
        "not 0",
        "not actual['name']",
        "not 1 == 2",
        "True and not False",
        "1 or 2 and 0",
        "not not 1",
        "actual['empty'] or 5",
        "None or 0",
        "!zzz and 1",
    ],
    "conditional": [
        "1 if True else 2",
        "'a' if actual['price'] > 50 else 'b'",
        "1 if 0 else 2 if 0 else 3",
        "zzz if False else 1",
        "(1 if True else 2) + 1",
        "!1 if zzz else 2",
    ],
    "comparison chain": [
        "1 < 2 < 3",
        "1 < 3 < 2",
        "3 > 2 >= 2",
        "1 == 1 == 1",
        "1 < zzz < 0 if False else 5",
        "!1 < zzz < 2",
    ],
    "in": [
        "'a' in actual['tags']",
        "'z' not in actual['tags']",
        "'price' in actual",
        "'Wor' in actual['text']",
        "1 in []",
        "2 in (1, 2)",
        "!1 in 5",
        "!1 in 'abc'",
    ],
    "is": [
        "actual['nothing'] is None",
        "actual['price'] is not None",
        "actual['flag'] is True",
        "None is None",
        "False is not True",
        "!zzz is None",
    ],
    "arithmetic": [
        "7 // 2",
        "-7 // 2",
        "-7 % 3",
        "7 % -3",
        "7 / 2",
        "2 ** 10",
        "2 ** -1",
        "-2 ** 2",
        "1 - -1",
        "7.5 // 2",
        "!1 / 0",
        "!1 // 0",
        "!1 + 'a'",
        "!None + 1",
        "2 ** 200",
        "10**20 + 1",
    ],
    "text and list operators": [
        "'ab' * 3",
        "[1] * 2",
        "[1] + [2]",
        "'a' + 'b'",
        "'' * 5",
        "'a' * -1",
        "!'a' + 1",
        "![1] + 'a'",
    ],
    "index": [
        "actual['tags'][-1]",
        "actual['name'][0]",
        "actual['tags'][0]",
        "actual['items'][1]['n']",
        "'abc'[-3]",
        "!actual['tags'][9]",
        "!actual['zzz']",
        "![][0]",
    ],
    "slice": [
        "actual['tags'][1:]",
        "actual['tags'][:2]",
        "actual['tags'][::-1]",
        "actual['text'][0:5]",
        "'abc'[5:]",
        "[][1:2]",
        "'abcdef'[1:5:2]",
        "'abc'[-2:]",
        "!5[1:]",
        "!'abc'[::0]",
    ],
    "list comprehension": [
        "[x * 2 for x in [1, 2]]",
        "[x for x in [1, 2, 3] if x > 1]",
        "[x for x in []]",
        "[a + b for a, b in [[1, 2], [3, 4]]]",
        "[x + y for x in [1, 2] for y in [10, 20] if y > x]",
        "[[y for y in range(x)] for x in [1, 2]]",
        "[i['n'] for i in actual['items'] if i['id'] == 2]",
        "[c for c in 'ab']",
        "![x for x in 5]",
        "![zzz for x in [1]]",
    ],
    "dict comprehension": [
        "{k: v for k, v in actual['user'].items()}",
        "{x: 1 for x in ['a', 'b']}",
        "{k: 1 for k in []}",
        "{k: v for k, v in [['a', 1]] if v > 0}",
        "!{k: 1 for k in 5}",
    ],
    "generator": [
        "any(x > 2 for x in actual['nums'])",
        "all(x > 2 for x in actual['nums'])",
        "sum(x for x in [1, 2])",
        "max(len(t) for t in ['a', 'bb'])",
        "any(1 / x > 0 for x in [1, 0])",
        "all(x for x in [])",
        "!any(1 / x > 2 for x in [1, 0])",
    ],
    "dict literal": ["{'a': 1}", "{'a': {'b': 2}}['a']['b']", "{}", "{'a' + 'b': 1}", "!{'a': 1}['b']"],
    "tuple": ["(1, 2)", "(1,)", "()", "1 in (1, 2)", "!(1, 2)[5]"],
    "len": ["len('abc')", "len([])", "len(actual['user'])", "len(actual['tags']) == 3", "!len(5)", "!len(None)"],
    "any all": ["any([0, 1])", "any([])", "all([1, 2])", "all([])", "all([1, 0])", "!any(5)", "!all(None)"],
    "sum": ["sum([1, 2.5])", "sum([])", "sum([1], 10)", "sum(actual['nums'])", "!sum(['a'])", "!sum(5)"],
    "min max": [
        "min([3, 1])",
        "max(1, 2, 3)",
        "max('a', 'b')",
        "max([], default=0)",
        "min(actual['items'], key=lambda i: i['n'])['id']",
        "max([1, 5, 3], key=lambda x: -x)",
        "!min([])",
        "!max([1, 'a'])",
        "!max(5)",
    ],
    "sorted": [
        "sorted([3, 1, 2])",
        "sorted(['b', 'a'])",
        "sorted([1, 3, 2], reverse=True)",
        "sorted([])",
        "sorted(actual['items'], key=lambda i: i['n'])[0]['id']",
        "sorted([[2], [1]], key=lambda x: x[0])",
        "!sorted([1, 'a'])",
        "!sorted(5)",
    ],
    "abs round": [
        "abs(-5)",
        "abs(-2.5)",
        "round(2.5)",
        "round(3.5)",
        "round(1.2345, 2)",
        "round(-0.5)",
        "round(1234, -2)",
        "!abs('a')",
        "!round('a')",
    ],
    "int float": [
        "int('42')",
        "int(1.9)",
        "int(-1.9)",
        "int(True)",
        "int(' 7 ')",
        "float('1.5')",
        "float(1)",
        "!int('1.5')",
        "!int('x')",
        "!float('x')",
        "!int(None)",
    ],
    "str bool": [
        "str(5)",
        "str('a')",
        "str(1.5)",
        "bool(0)",
        "bool('')",
        "bool([])",
        "bool('False')",
        "bool({})",
        "!str(zzz)",
    ],
    "set": ["len(set([1, 1, 2])) == 2", "len(set([]))", "len(set('aab'))", "set([1, 2]) == set([2, 1, 1])", "!set(5)"],
    "range enumerate zip": [
        "[x for x in range(3)]",
        "[x for x in range(1, 7, 2)]",
        "[x for x in range(0)]",
        "[i for i, t in enumerate(['a', 'b'])]",
        "[a + b for a, b in zip([1, 2], [10, 20])]",
        "list(reversed([1, 2]))",
        "list('ab')",
        "!range('a')",
        "!enumerate(5)",
        "!zip(1, 2)",
    ],
    "text methods": [
        "'Hello'.startswith('He')",
        "'Hello'.endswith(('x', 'lo'))",
        "' a '.strip()",
        "'xxaxx'.strip('x')",
        "' a'.lstrip()",
        "'a '.rstrip()",
        "'AbC'.lower()",
        "'abc'.upper()",
        "'a b  c'.split()",
        "'a,b'.split(',')",
        "', '.join(['a', 'b'])",
        "'abc'.replace('b', 'X')",
        "'abab'.replace('b', 'X', 1)",
        "'banana'.count('an')",
        "'abc'.index('c')",
        "'abc'.find('z')",
        "'123'.isdigit()",
        "'abc'.isalpha()",
        "''.isdigit()",
        "'AB'.isupper()",
        "'ab'.islower()",
        "'a\\nb'.splitlines()",
        "!'abc'.index('z')",
        "!(5).lower()",
        "!'a'.upper(1)",
        "!'a'.zzz()",
        "!','.join(5)",
    ],
    "list methods": [
        "['a', 'b'].index('b')",
        "[1, 1, 2].count(1)",
        "[].count(1)",
        "[1, 2].index(1)",
        "![1].index(5)",
        "![1].zzz()",
    ],
    "dict methods": [
        "actual['user'].get('age')",
        "actual['user'].get('zzz')",
        "actual['user'].get('zzz', 5)",
        "list(actual['user'].keys())",
        "list(actual['user'].values())",
        "[k for k, v in actual['user'].items() if v == 30]",
        "'age' in actual['user'].keys()",
        "!actual['user'].zzz()",
    ],
    "lambda": [
        "sorted([1, 2], key=lambda x: -x)",
        "max(['aa', 'b'], key=lambda t: len(t))",
        "min([1, 2], key=lambda x: x if x > 1 else 9)",
        "sorted([[1, 'b'], [0, 'c']], key=lambda p: p[1])",
        "!sorted([1], key=lambda x: zzz)",
    ],
}


def plain(value: object) -> object:
    if isinstance(value, (tuple, set, range)):
        return [plain(item) for item in value]
    return value


def main() -> None:
    lines = [json.dumps({"scope": SCOPE})]
    for construct, cases in CASES.items():
        assert len(cases) >= 5 and any(case.startswith("!") for case in cases), construct
        for case in cases:
            raises = case.startswith("!")
            expr = case.removeprefix("!")
            try:
                answer: dict[str, object] = {"value": plain(eval(expr, dict(SCOPE)))}  # texts of this file
            except Exception as error:
                answer = {"error": type(error).__name__}
            assert raises == ("error" in answer), (expr, answer)
            lines.append(
                json.dumps(
                    {
                        "construct": construct,
                        "kind": "wrong kind" if raises else "plain",
                        "expr": expr,
                        "answer": answer,
                    }
                )
            )
    Path("expr_python.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines) - 1} cases of {len(CASES)} constructs")


if __name__ == "__main__":
    main()
