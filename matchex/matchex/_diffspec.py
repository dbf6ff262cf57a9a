"""How `$diff`, and the `diff` option, say what is compared and which changes are allowed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from matchex._diff import DIFF_KINDS, NO_VALUE, AllowedChange
from matchex._meta import META_KEYS
from matchex._node import Keys, Node
from matchex._operators import Site, Wrong
from matchex._paths import nearest
from matchex._show import show
from matchex._texts import AllowedItem, DiffNode, DiffRule
from matchex._values import as_list, as_mapping, type_name

if TYPE_CHECKING:
    from matchex._compiler import Compiler

__all__ = ["build_diff", "diff_of_text"]

_SETTINGS: Final = {
    "ignoreCase": "ignore_case",
    "ignoreWhitespace": "ignore_whitespace",
    "ignoreNewlineAtEof": "ignore_newline_at_eof",
    "newlineIsToken": "newline_is_token",
    "stripTrailingCr": "strip_trailing_cr",
}
_KEYS: Final = ("value", "expected", "type", "items", "permissive", *_SETTINGS)
_ITEM_KEYS: Final = ("value", "path", "val", "added", "removed", "required")


def build_diff(c: Compiler, operand: object, site: Site) -> Node:
    """`$diff`: the operand is a text, or a mapping of value, type, items and settings."""
    operand = c.shape(operand, site.place)
    if isinstance(operand, str):
        return _node(c, site.place, operand, {"value": operand})
    mapping = as_mapping(operand)
    if mapping is None:
        raise Wrong(f"$diff takes a text or a mapping with value, not {type_name(operand)}")
    return _node(c, site.place, operand, mapping)


def diff_of_text(c: Compiler, text: str, place: Keys) -> Node:
    """A plain text under the `diff` option."""
    return _node(c, place, text, {"value": text})


def _node(c: Compiler, place: Keys, expected: object, spec: Mapping[Any, Any]) -> Node:
    _check_keys(spec, _KEYS, "$diff", ())
    value = c.literal(spec.get("value", spec.get("expected")), (*place, "value"))
    if value is None:
        value = c.options.diff_baseline
    if value is None:
        raise Wrong("$diff needs a value to compare with")
    if not isinstance(value, str) and as_mapping(value) is None and as_list(value) is None:
        raise Wrong(f"value takes a text (or for json a mapping or a list), not {type_name(value)}", ("value",))
    rule = _rule(c, spec, place)
    if not isinstance(value, str) and rule.kind != "json":
        raise Wrong(f"value takes a text unless type is json, not {type_name(value)}", ("value",))
    return DiffNode(place, expected, value, rule, c.options, c.options.regex_timeout)


def _rule(c: Compiler, spec: Mapping[Any, Any], place: Keys) -> DiffRule:
    option = _option(c.options.diff)
    spec = {key: c.literal(value, (*place, key)) if key != "items" else value for key, value in spec.items()}
    kind = spec.get("type") or option.get("type")
    raw_items, check = c.shape(spec.get("items"), (*place, "items")), None
    if raw_items is None:
        raw_items, check = option.get("items"), option.get("check")
    if kind is None:
        kind = "chars" if raw_items is not None else "auto"
    if kind not in DIFF_KINDS:
        guess = nearest(str(kind), DIFF_KINDS)
        hint = f"; did you mean {guess}?" if guess else f"; there are {', '.join(DIFF_KINDS)}"
        raise Wrong(f"unknown type of diff {show(kind)}{hint}", ("type",), guess)
    permissive = spec.get("permissive")
    if permissive is None:
        permissive = c.options.diff_permissive if c.options.diff_permissive is not None else option.get("permissive")
    settings = {_SETTINGS[key]: _flag(spec, key) for key in spec if key in _SETTINGS}
    items = None if raw_items is None else tuple(_items(c, raw_items, kind, (*place, "items")))
    permissive = _flag({"permissive": permissive}, "permissive") if permissive is not None else False
    strict = c.options.is_strict("diff")
    return DiffRule(kind, items, permissive and not strict, strict, check, settings)


def _option(diff: object) -> Mapping[Any, Any]:
    """The `diff` option as a mapping."""
    if diff is None or isinstance(diff, bool):
        return {}
    if isinstance(diff, str):
        return {"type": diff}
    if callable(diff):
        return {"check": diff}
    items = as_list(diff)
    if items is not None:
        return {"items": items}
    mapping = as_mapping(diff)
    if mapping is None:
        takes = "true, a type, a list of items, a mapping of type, items and permissive, or a function"
        raise Wrong(f"the option diff takes {takes}, not {type_name(diff)}")
    _check_keys(mapping, ("type", "items", "permissive"), "the option diff", ())
    return mapping


def _items(c: Compiler, raw: object, kind: str, place: Keys) -> list[AllowedItem]:
    items = as_list(raw)
    if items is None:
        raise Wrong(f"items takes a list, not {type_name(raw)}", ("items",))
    return [_item(c, item, kind, i, (*place, i)) for i, item in enumerate(items)]


def _item(c: Compiler, raw: object, kind: str, index: int, place: Keys) -> AllowedItem:
    keys: Keys = ("items", index)
    mapping = as_mapping(raw)
    if mapping is None:
        raise Wrong(f"an item takes a mapping with value, path or val, not {type_name(raw)}", keys)
    _check_keys(mapping, _ITEM_KEYS, "an item", keys, META_KEYS)
    if not any(key in mapping for key in ("value", "path", "val")):
        raise Wrong("an item needs value, path or val: what change does it speak of?", keys)
    if "path" in mapping and kind != "json":
        raise Wrong(f"path speaks of JSON leaves; it needs type: json (here {kind})", (*keys, "path"))
    meta = c.meta(mapping, place)
    change = AllowedChange(
        value=_text(c, mapping, "value", place),
        path=_text(c, mapping, "path", place),
        val=c.literal(mapping["val"], (*place, "val")) if "val" in mapping else NO_VALUE,
        added=_option_flag(c, mapping, "added", place),
        removed=_option_flag(c, mapping, "removed", place),
        required=_option_flag(c, mapping, "required", place) or False,
        penalty=meta.weight is not None and meta.weight < 0,
    )
    return AllowedItem(change, meta)


def _text(c: Compiler, mapping: Mapping[Any, Any], name: str, place: Keys) -> Any:
    if mapping.get(name) is None:
        return None
    value = c.pattern_or_text(mapping[name], (*place, name))
    if value is None:
        raise Wrong(f"{name} takes a text or a pattern, not {type_name(mapping[name])}", (*place[-2:], name))
    return value


def _option_flag(c: Compiler, mapping: Mapping[Any, Any], name: str, place: Keys) -> bool | None:
    value = c.literal(mapping.get(name), (*place, name))
    return None if value is None else _flag({name: value}, name)


def _flag(mapping: Mapping[Any, Any], name: str) -> bool:
    value = mapping[name]
    if not isinstance(value, bool):
        raise Wrong(f"{name} takes true or false, not {show(value)}", (name,))
    return value


def _check_keys(
    mapping: Mapping[Any, Any], known: tuple[str, ...], what: str, keys: Keys, also: frozenset[str] = frozenset()
) -> None:
    for key in mapping:
        if key not in known and key not in also:
            guess = nearest(str(key), [*known, *also])
            hint = f"; did you mean {guess}?" if guess else f"; it knows {', '.join(known)}"
            raise Wrong(f"{what} has no field {key!r}{hint}", (*keys, str(key)), guess)
