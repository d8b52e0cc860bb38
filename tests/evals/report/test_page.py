"""The page: all figures, failures first, nothing from elsewhere, whatever answers hold."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from fanshu.errors import ConfigError
from fanshu.evals.report.account import MOST_SYSTEMS
from fanshu.evals.report.answers import MOST_QUESTIONS
from fanshu.evals.report.page import page
from fanshu.evals.report.plain import figures, markdown
from tests.evals.report.made import HOSTILE, asked, ranked, row, series, told

MANY = 2000
QUESTIONS = [asked("1"), asked("2", "vague"), asked("3", "unanswerable", text="GPU？")]
GOOD = series("loop", row("1"), row("2"), row("3", ""), system="loop", model="m")
BAD = series("grep", row("1"), row("2", "31 秒", tokens=4000), row("3", "A100"))
RANKS = series("search", *map(ranked, "123"))


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_all_parts_are_there() -> None:
    text = page(told(GOOD, BAD, RANKS, questions=QUESTIONS))
    for part in ("1.00 ", "Right answers against tokens", "Rankings", "grep against loop"):
        assert part in text
    assert text.count("<svg") == 3
    assert "invented" in text
    assert not Tags(text).open


def test_failures_come_first_with_their_cause() -> None:
    text = page(told(GOOD, BAD, questions=QUESTIONS))
    order = re.findall(r"<span class=\"chips\">(\d)", text)
    assert order == ["2", "3", "1"]
    assert "2 · vague · wrong or missing figure" in text
    assert "1 of 1" in text  # invented by grep, rightly refused by loop


def test_it_speaks_chinese() -> None:
    text = page(told(GOOD, BAD, questions=QUESTIONS, zh=True))
    assert '<html lang="zh-CN">' in text
    assert "数字有误或缺失" in text
    assert "答对" in markdown(told(GOOD, questions=QUESTIONS, zh=True))


def test_nothing_comes_from_elsewhere_and_nothing_runs() -> None:
    tags = Tags(page(told(GOOD, BAD, questions=QUESTIONS)))
    assert not {"script", "img", "link", "iframe", "object", "a", "form"} & set(tags.names)
    names = {name for name, _ in tags.attributes}
    assert not {"src", "href", "style"} & names
    assert not any(name.startswith("on") for name in names)


def test_the_only_style_is_the_one_that_the_policy_names() -> None:
    text = page(told(GOOD, questions=QUESTIONS))
    style = re.search("<style>(.*)</style>", text, re.DOTALL)
    assert style
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"default-src &#x27;none&#x27;; style-src &#x27;sha256-{digest}&#x27;" in text


def test_hostile_answers_questions_and_names_stay_text() -> None:
    bad = row("1", HOSTILE, citations=[{"file": HOSTILE, "trail": [HOSTILE]}])
    call = {"tool": HOSTILE, "arguments": {HOSTILE: HOSTILE}, "result": HOSTILE, "error": False}
    bad["steps"] = [{"round": HOSTILE, "text": HOSTILE, "calls": [call, "no call"]}, "no step"]
    made = told(
        series(HOSTILE, bad, system=HOSTILE, model=HOSTILE), questions=[asked("1", text=HOSTILE)]
    )
    text = page(made)
    assert not {"script", "img"} & set(Tags(text).names)
    plain = markdown(made)
    assert "<script" not in plain.replace(r"\<", "")
    assert not re.search(r"(?<!\\)\]\(http", plain)
    table = [line for line in figures(made).splitlines() if line.startswith("|")]
    bars = {len(re.findall(r"(?<!\\)\|", line)) for line in table if "expected" not in line}
    assert max(bars) <= 9


def test_wrong_shapes_are_no_traceback() -> None:
    odd = {"id": "1", "answer": None, "citations": None, "steps": [{"calls": 7}, None], "judged": 1}
    assert "wrong" in page(told(series("x", odd), questions=[asked("1")]))
    assert "not graded" in page(told(series("x", row("1"))))
    assert "no result" in page(told(series("x", row("2")), questions=[asked("1"), asked("2")]))


def test_many_questions_are_cut_and_counted_and_many_systems_refused() -> None:
    ids = [str(n) for n in range(MANY)]
    long = row("", "31 秒" + "长" * 5000)
    made = [series(f"s{n}", *({**long, "id": id_} for id_ in ids)) for n in range(2)]
    text = page(told(*made, questions=[asked(id_) for id_ in ids]))
    assert text.count('<details class="case">') == MOST_QUESTIONS
    assert f"{MANY - MOST_QUESTIONS} more questions" in text
    assert len(text) < 3_000_000
    with pytest.raises(ConfigError, match=f"at most {MOST_SYSTEMS}"):
        told(*(series(f"s{n}", row("1")) for n in range(30)), questions=[asked("1")])


@pytest.mark.parametrize("zh", [False, True])
def test_both_forms_show_the_same_figures(zh: bool) -> None:
    made = told(GOOD, BAD, RANKS, questions=QUESTIONS, zh=zh)
    shown = re.sub("<[^>]*>", "", page(made))
    cells = re.findall(r"\d\.\d\d \[\d\.\d\d, \d\.\d\d\]", figures(made))
    assert len(cells) > 10
    assert all(cell in shown for cell in cells)
