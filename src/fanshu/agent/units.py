"""What figures count: units of measure, and when two of them mean the same.

A unit word may be read in several ways (`m`: minutes, metres, mega; `分`: minutes, cents),
so a unit is a set of senses, and two units agree when any of their senses do.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

Unit = frozenset["Sense"]


@dataclass(frozen=True, slots=True)
class Sense:
    """One reading of a unit: what it measures, and how many base units it is worth.

    `family` tells names apart that look alike but are not: 10 GB, 10 GiB and 10 G (`bare`,
    which people write for either). Everything else has the family "".
    """

    dimension: str
    factor: Fraction
    family: str = ""
    letter: str = ""


NO_UNIT: Final[Unit] = frozenset()

# Dimension → worth in base units → words. Months and years have no fixed number of days, and
# working days none either, so they are dimensions of their own.
_MEASURES: Mapping[str, Mapping[Fraction | int, str]] = {
    "time": {
        Fraction(1, 10**6): "us μs µs 微秒 microsecond microseconds",
        Fraction(1, 1000): "ms 毫秒 millisecond milliseconds",
        1: "s sec secs 秒 秒钟 second seconds",
        60: "m min mins 分 分钟 minute minutes",
        3600: "h hr hrs 时 点 点钟 小时 个小时 钟头 hour hours",
        86400: "d 天 日 day days",
        604800: "w 周 星期 个星期 week weeks",
    },
    "month": {1: "月 个月 month months", 3: "季度 quarter quarters", 12: "年 周年 year years"},
    "working day": {1: "工作日 个工作日"},
    "age": {1: "岁 周岁"},
    "ratio": {Fraction(1, 100): "% percent", Fraction(1, 1000): "‰"},
    "point": {1: "个百分点 百分点"},
    "yuan": {1: "元 块 圆 块钱 rmb cny", Fraction(1, 10): "角", Fraction(1, 100): "分"},
    "dollar": {1: "美元 美金 usd dollar dollars"},
    "euro": {1: "欧元 eur euro euros"},
    "krone": {1: "克朗 挪威克朗 nok kr"},
    "degree": {1: "度 摄氏度 °c °C ℃ ° degree degrees"},
    "length": {
        Fraction(1, 1000): "mm 毫米",
        Fraction(1, 100): "cm 厘米 公分",
        1: "m 米 metre metres meter meters",
        1000: "km 千米 公里 kilometre kilometres kilometer kilometers",
    },
    "area": {1: "平方米 m2", 10**4: "公顷", 10**6: "平方公里 km2"},
    "weight": {Fraction(1, 1000): "mg 毫克", 1: "g 克", 1000: "kg 千克 公斤", 10**6: "t 吨"},
    "volume": {Fraction(1, 1000): "ml mL 毫升", 1: "l L 升"},
    "power": {
        Fraction(1, 1000): "mW 毫瓦",
        1: "W 瓦 瓦特 watt watts",
        1000: "kW kilowatt kilowatts",
        10**6: "MW 兆瓦 megawatt megawatts",
    },
    "energy": {1: "Wh 瓦时", 1000: "kWh", 10**6: "MWh 兆瓦时"},
    "voltage": {Fraction(1, 1000): "mV 毫伏", 1: "V 伏 伏特 volt volts", 1000: "kV"},
    "current": {Fraction(1, 1000): "mA 毫安", 1: "A 安培 ampere amperes", 1000: "kA"},
    "frequency": {1: "Hz 赫 赫兹 hertz", 1000: "kHz", 10**6: "MHz 兆赫", 10**9: "GHz"},
    "pressure": {1: "Pa 帕 帕斯卡", 1000: "kPa", 10**5: "bar", 10**6: "MPa 兆帕"},
    "bit": {1: "bit bits 比特 位"},
    "multiple": {1: "倍 x X times"},
    "score": {1: "分"},
    "count": {1: "人 名 个人 核 core cores vCPU times"},
    "character": {1: "字符 个字符 字 个字 character characters"},
}
# Words that count things: 10 个 and 10 台 may be the same figure, 10 倍 is another.
COUNTERS: Final = frozenset(
    "个 种 项 条 处 点 类 家 篇 份 件 只 台 辆 座 张 层 次 步 款 章 节 编 页 行 列 级 期 批 组 段 "
    "轮 代 版 位 间 户 头 枚 支 套 本 部 方面 部分 地方".split(" ")
)
_SIZE_LETTERS = "kmgtp"


def _size_words() -> Iterable[tuple[str, Sense]]:
    for word in ("B", "byte", "bytes", "字节", "个字节"):
        yield word, Sense("size", Fraction(1))
    for power, letter in enumerate(_SIZE_LETTERS, 1):
        binary, decimal = Fraction(1024**power), Fraction(1000**power)
        upper = letter.upper()
        for word in (f"{upper}iB", f"{upper}IB", f"{upper}i", f"{letter}ib"):
            yield word, Sense("size", binary, "binary", letter)
        for word in (f"{upper}B", f"{letter}B", f"{letter}b", f"{upper}b"):
            yield word, Sense("size", decimal, "decimal", letter)
            yield word, Sense("size", binary, "decimal", letter)
        for word in (upper, letter):
            yield word, Sense("size", decimal, "bare", letter)
            yield word, Sense("size", binary, "bare", letter)


def _table() -> dict[str, Unit]:
    senses: dict[str, set[Sense]] = {}
    for dimension, sizes in _MEASURES.items():
        for factor, words in sizes.items():
            for word in words.split():
                senses.setdefault(word, set()).add(Sense(dimension, Fraction(factor)))
    for word in COUNTERS:
        senses.setdefault(word, set()).add(Sense("count", Fraction(1)))
    for word, sense in _size_words():
        senses.setdefault(word, set()).add(sense)
    return {word: frozenset(found) for word, found in senses.items()}


UNITS: Final[Mapping[str, Unit]] = _table()
PERCENT: Final = UNITS["%"]


def unit_of(word: str) -> Unit | None:
    """The unit a word names; None if it names none. Case counts where it must (30m, 30M)."""
    if word in UNITS or len(word) <= 2:
        return UNITS.get(word)
    return UNITS.get(word.lower())


_STATED = re.compile(
    r"单位\s*(?:[:：]|为|是)?\s*[\"'`]?(?P<a>[\u4e00-\u9fff]{1,4}|[A-Za-z]{1,12})"
    r"|[（(]\s*(?P<b>[\u4e00-\u9fff]{1,3}|ms|sec|KiB|MiB|GiB|KB|MB|GB)\s*[）)]"
    r"|(?<![A-Za-z])(?:in|number of|unit is) (?P<c>[A-Za-z]{1,14})"
)


def stated_units(text: str) -> tuple[Unit, ...]:
    """The units a text gives apart from its numbers: 单位：秒, (ms), timeout in seconds."""
    words = (match[match.lastgroup or 0] for match in _STATED.finditer(text))
    units = (unit_of(word) or unit_of(word[:2]) or unit_of(word[:1]) for word in words)
    return tuple(dict.fromkeys(unit for unit in units if unit))


def kin(unit: Unit, other: Unit) -> bool:
    """Whether two units may measure the same thing."""
    return bool({sense.dimension for sense in unit} & {sense.dimension for sense in other})


def same_quantity(a: Fraction, unit: Unit, b: Fraction, other: Unit) -> bool:
    """Whether two figures mean the same amount. A figure without a unit fits any unit."""
    if not unit or not other:
        return a == b
    return any(_agree(a, one, b, two) for one in unit for two in other)


def _agree(a: Fraction, one: Sense, b: Fraction, two: Sense) -> bool:
    if one.dimension != two.dimension:
        return False
    if one.dimension != "size" or not one.letter or not two.letter:
        return a * one.factor == b * two.factor
    kin = one.family == two.family or "bare" in (one.family, two.family)
    return kin and a * one.factor == b * two.factor
