"""Formats: those of all JSON Schema drafts and of ajv-formats, always checked.

Most formats are a few lines of grammar from an RFC: a regular expression says them shorter than a dependency would.
International host names need the tables of Unicode, so `idna` checks them; addresses are read by the standard library.
No expression here can backtrack badly. A format unknown to this table checks nothing, as the specification demands.
"""

from __future__ import annotations

import base64
import binascii
import functools
import ipaddress
import re
import unicodedata
from collections.abc import Callable
from typing import Any, Final

from matchex.plugin import PatternError, compile_pattern

from ._numbers import as_number, is_integer

__all__ = ["NUMBER_FORMATS", "ORDERED_FORMATS", "TEXT_FORMATS", "order_key"]

TextCheck = Callable[[str], bool]

_MAX_HOST: Final = 253


def _by(pattern: str, flags: int = 0) -> TextCheck:
    """A check that the whole text has the form of a pattern (blanks in the pattern do not count)."""
    match = re.compile(pattern, re.VERBOSE | re.ASCII | flags).fullmatch
    return lambda text: match(text) is not None


def _anything(_text: str) -> bool:
    return True


# Dates and times (RFC 3339; the iso- forms may lack the offset)

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_TIME = re.compile(
    r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(\.\d+)?(?:([zZ])|([+-])([01]\d|2[0-3]):([0-5]\d))", re.ASCII
)
_ISO_TIME = re.compile(
    r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(\.\d+)?(?:([zZ])|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?", re.ASCII
)
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MINUTES_OF_DAY: Final = 24 * 60


def _is_date(text: str) -> bool:
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    year, month, day = map(int, match.groups())
    if not 1 <= month <= 12:
        return False
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= _DAYS[month - 1] + leap


def _is_time(text: str, form: re.Pattern[str] = _TIME) -> bool:
    match = form.fullmatch(text)
    return match is not None and (match[3] != "60" or _utc_minute(match) == _MINUTES_OF_DAY - 1)


def _utc_minute(match: re.Match[str]) -> int:
    """The minute of the day in UTC; a leap second is inserted only in the last one."""
    minute = int(match[1]) * 60 + int(match[2])
    return (minute - _offset(match)) % _MINUTES_OF_DAY


def _offset(match: re.Match[str]) -> int:
    if match[6] is None:
        return 0
    minutes = int(match[7]) * 60 + int(match[8] or 0)
    return -minutes if match[6] == "-" else minutes


def _is_iso_time(text: str) -> bool:
    return _is_time(text, _ISO_TIME)


def _is_date_time(text: str) -> bool:
    return text[10:11] in ("T", "t") and _is_date(text[:10]) and _is_time(text[11:])


def _is_iso_date_time(text: str) -> bool:
    return text[10:11] in ("T", "t", " ") and _is_date(text[:10]) and _is_iso_time(text[11:])


_is_draft3_time = _by(r"([01]\d | 2[0-3]) : [0-5]\d : [0-5]\d")

_TIME_PART: Final = r"T (?: \d+H (?:\d+M (?:\d+S)?)? | \d+M (?:\d+S)? | \d+S )"
_DATE_PART: Final = r"(?: \d+Y (?:\d+M (?:\d+D)?)? | \d+M (?:\d+D)? | \d+D )"
_is_duration = _by(rf"P (?: {_DATE_PART} (?:{_TIME_PART})? | {_TIME_PART} | \d+W )")


# Hosts and addresses

_HOST_NAME = _by(
    r"(?: [a-z0-9] (?:[a-z0-9-]{0,61} [a-z0-9])? ) (?: \. [a-z0-9] (?:[a-z0-9-]{0,61} [a-z0-9])? )*", re.IGNORECASE
)
_DOTS = re.compile("[.\u3002\uff0e\uff61]")


def _is_hostname(text: str) -> bool:
    if len(text) > _MAX_HOST or not _HOST_NAME(text):
        return False
    return all(label[2:4] != "--" or _is_a_label(label) for label in text.split("."))


def _is_a_label(label: str) -> bool:
    import idna

    label = label.lower()
    try:
        return label[:4] == "xn--" and idna.alabel(idna.ulabel(label)).decode("ascii") == label
    except (idna.IDNAError, UnicodeError):
        return False


def _is_idn_hostname(text: str) -> bool:
    import idna

    if len(text) > _MAX_HOST or text.endswith(tuple(".\u3002\uff0e\uff61")):
        return False
    try:
        labels = [idna.alabel(label) for label in _DOTS.split(text)]
        if any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in text):
            for label in labels:
                idna.check_bidi(idna.ulabel(label), check_ltr=True)
    except (idna.IDNAError, UnicodeError):
        return False
    return _is_hostname(b".".join(labels).decode("ascii"))


def _is_ipv4(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True


def _is_ipv6(text: str) -> bool:
    try:
        return not getattr(ipaddress.IPv6Address(text), "scope_id", None)
    except ValueError:
        return False


_LOCAL = _by(
    r"""[a-z0-9!#$%&'*+/=?^_`{|}~-]+ (?: \. [a-z0-9!#$%&'*+/=?^_`{|}~-]+ )*
        | " (?: [\x20\x21\x23-\x5b\x5d-\x7e] | \\[\x20-\x7e] )* " """.replace("#$%", r"\#$%"),
    re.IGNORECASE,
)


# Nearly all addresses look like this; the whole grammar takes three times as long.
_USUAL_LABEL: Final = r"[A-Za-z0-9](?:-?[A-Za-z0-9]){0,31}"
_USUAL_EMAIL = re.compile(rf"[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*@{_USUAL_LABEL}(?:\.{_USUAL_LABEL}){{0,2}}")


def _is_email(text: str) -> bool:
    if _USUAL_EMAIL.fullmatch(text):
        return True
    local, at, domain = text.rpartition("@")
    return bool(at) and _LOCAL(local) and (_is_hostname(domain) or _is_address_literal(domain))


def _is_idn_email(text: str) -> bool:
    local, at, domain = text.rpartition("@")
    ascii_local = re.sub(
        r"[^\x00-\x9f\ud800-\udfff]", "a", local
    )  # RFC 6531 allows what is beyond ASCII where a letter may stand
    return bool(at) and _LOCAL(ascii_local) and (_is_idn_hostname(domain) or _is_address_literal(domain))


def _is_address_literal(domain: str) -> bool:
    if domain[:1] != "[" or domain[-1:] != "]":
        return False
    inside = domain[1:-1]
    return _is_ipv6(inside[5:]) if inside[:5].lower() == "ipv6:" else _is_ipv4(inside)


# URIs (RFC 3986) and IRIs (RFC 3987)

_PARTS = re.compile(
    r"(?:(?P<scheme>[^:/?#]*):)?(?://(?P<authority>[^/?#]*))?(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:\#(?P<fragment>.*))?",
    re.DOTALL,
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_AUTHORITY = re.compile(r"(?:(?P<user>[^@\[\]]*)@)?(?:\[(?P<literal>[^\]]*)\]|(?P<name>[^:@\[\]]*))(?::[0-9]*)?")
_FUTURE = re.compile(r"[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+")
_PRIVATE: Final = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_BEYOND_ASCII: Final = "\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef" + "".join(
    f"{chr(plane * 0x10000 + (0x1000 if plane == 14 else 0))}-{chr(plane * 0x10000 + 0xFFFD)}" for plane in range(1, 15)
)


class _UriGrammar:
    """The characters of each part; an IRI has more of them."""

    def __init__(self, letters: str = "", private: str = "") -> None:
        common = rf"A-Za-z0-9._~!$&'()*+,;={letters}-"
        self.user = self._part(f":{common}")
        self.name = self._part(common)
        self.path = self._part(f"/:@{common}")
        self.query = self._part(f"/?:@{private}{common}")
        self.fragment = self._part(f"/?:@{common}")

    @staticmethod
    def _part(characters: str) -> Callable[[str], object]:
        return re.compile(f"(?:[{characters}]|%[0-9A-Fa-f][0-9A-Fa-f])*").fullmatch

    def is_absolute(self, text: str) -> bool:
        """Whether `text` has a scheme, and every part is well formed."""
        parts = _PARTS.fullmatch(text)
        return parts is not None and _SCHEME.fullmatch(parts["scheme"] or "") is not None and self._fits(parts)

    def is_reference(self, text: str) -> bool:
        """Whether `text` is absolute or relative, and every part is well formed."""
        parts = _PARTS.fullmatch(text)
        if parts is None or (parts["scheme"] is not None and not _SCHEME.fullmatch(parts["scheme"])):
            return False
        return self._fits(parts)

    def is_web_address(self, text: str) -> bool:
        """Whether `text` is absolute, names a host, and is fetched by http, https or ftp."""
        parts = _PARTS.fullmatch(text)
        if parts is None or (parts["scheme"] or "").lower() not in ("http", "https", "ftp"):
            return False
        host = _AUTHORITY.fullmatch(parts["authority"] or "")
        return host is not None and bool(host["name"] or host["literal"]) and self._fits(parts)

    def _fits(self, parts: re.Match[str]) -> bool:
        return bool(
            self._is_authority(parts["authority"])
            and self.path(parts["path"])
            and self.query(parts["query"] or "")
            and self.fragment(parts["fragment"] or "")
        )

    def _is_authority(self, text: str | None) -> bool:
        if not text:
            return True
        match = _AUTHORITY.fullmatch(text)
        if match is None or not self.user(match["user"] or ""):
            return False
        if match["literal"] is None:
            return bool(self.name(match["name"]))
        return _is_ipv6(match["literal"]) or _FUTURE.fullmatch(match["literal"]) is not None


_URI = _UriGrammar()
_IRI = _UriGrammar(_BEYOND_ASCII, _PRIVATE)

_VARIABLE: Final = r"(?:\w|%[0-9A-Fa-f]{2})+(?:\.(?:\w|%[0-9A-Fa-f]{2})+)*(?::[1-9]\d{0,3}|\*)?"
_TEMPLATE_EXPRESSION = re.compile(rf"[+\#./;?&=,!@|]?{_VARIABLE}(?:,{_VARIABLE})*", re.ASCII)
_TEMPLATE_PART = re.compile(r"""[^\x00-\x20"'<>\\^`{|}%\x7f-\x9f]+|%[0-9A-Fa-f]{2}|\{(?P<inside>[^{}]*)\}""")


def _is_uri_template(text: str) -> bool:
    """RFC 6570, read piece by piece."""
    position = 0
    while position < len(text):
        part = _TEMPLATE_PART.match(text, position)
        if part is None or (part["inside"] is not None and not _TEMPLATE_EXPRESSION.fullmatch(part["inside"])):
            return False
        position = part.end()
    return True


# The rest

_POINTER: Final = r"(?:/(?:[^~/]|~[01])*)*"
_is_json_pointer = _by(_POINTER, re.DOTALL)
_is_pointer_fragment = _by(r"\# (?: / (?: [A-Za-z0-9._!$&'()*+,;=:@-] | %[0-9A-Fa-f]{2} | ~[01] )* )*")
_is_relative_pointer = _by(rf"(?:0|[1-9]\d*) (?: \# | {_POINTER} )", re.DOTALL)
_is_uuid = _by(r"[0-9a-f]{8} (?: -[0-9a-f]{4} ){3} -[0-9a-f]{12}", re.IGNORECASE)
_is_color = _by(r"\#(?:[0-9a-f]{3}){1,2}", re.IGNORECASE)


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _is_regex(text: str) -> bool:
    try:
        compile_pattern(text, "u")
    except PatternError:
        return False
    return True


TEXT_FORMATS: Final[dict[str, TextCheck]] = {
    "binary": _anything,
    "byte": _is_base64,
    "date": _is_date,
    "date-time": _is_date_time,
    "duration": _is_duration,
    "email": _is_email,
    "hostname": _is_hostname,
    "idn-email": _is_idn_email,
    "idn-hostname": _is_idn_hostname,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "iri": _IRI.is_absolute,
    "iri-reference": _IRI.is_reference,
    "iso-date-time": _is_iso_date_time,
    "iso-time": _is_iso_time,
    "json-pointer": _is_json_pointer,
    "json-pointer-uri-fragment": _is_pointer_fragment,
    "password": _anything,
    "regex": _is_regex,
    "relative-json-pointer": _is_relative_pointer,
    "time": _is_time,
    "uri": _URI.is_absolute,
    "uri-reference": _URI.is_reference,
    "uri-template": _is_uri_template,
    "url": _URI.is_web_address,
    "uuid": _is_uuid,
    # the names of draft 3
    "color": _is_color,
    "host-name": _is_hostname,
    "ip-address": _is_ipv4,
}
"""The formats of texts; other values are not looked at."""


def _is_int(bits: int, value: object) -> bool:
    number = as_number(value)
    return number is None or (is_integer(number) and -(2 ** (bits - 1)) <= number < 2 ** (bits - 1))


def _is_any_number(_value: object) -> bool:
    return True


NUMBER_FORMATS: Final[dict[str, Callable[[Any], bool]]] = {
    "int32": functools.partial(_is_int, 32),
    "int64": functools.partial(_is_int, 64),
    "float": _is_any_number,
    "double": _is_any_number,
}
"""The formats of numbers; other values are not looked at."""

ORDERED_FORMATS: Final = frozenset({"date", "time", "date-time", "iso-time", "iso-date-time"})
"""The formats that `formatMinimum` and its like can compare."""


def order_key(text: str, name: str) -> Any:
    """What a text of an ordered format is compared by (times by their moment in UTC); None if it has not the format."""
    if not TEXT_FORMATS[name](text):
        return None
    if name == "date":
        return text
    if name in ("time", "iso-time"):
        return _seconds(text)
    return _day_number(text[:10]) * 86400 + _seconds(text[11:])


def _seconds(text: str) -> float:
    match = _ISO_TIME.fullmatch(text)
    assert match is not None, "the caller has checked the format"
    minutes = int(match[1]) * 60 + int(match[2]) - _offset(match)
    return minutes * 60 + int(match[3]) + float(match[4] or 0)


def _day_number(text: str) -> int:
    """Days since the year 0 (which `datetime.date` has not), by the usual formula for the Gregorian calendar."""
    year, month, day = int(text[:4]), int(text[5:7]), int(text[8:10])
    year -= month <= 2
    month_days = (153 * ((month + 9) % 12) + 2) // 5
    return 365 * year + year // 4 - year // 100 + year // 400 + month_days + day
