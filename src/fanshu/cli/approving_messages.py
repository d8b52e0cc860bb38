"""What the verbs about approved answers say: English and Chinese."""

from collections.abc import Mapping

from fanshu.approved.words import STATES

APPROVING: Mapping[str, tuple[str, str]] = {
    **{f"evidence.{state}": said for state, said in STATES.items()},
    "approved.act.approved": ("approved", "认可"),
    "approved.act.edited": ("edited", "修改"),
    "approved.act.kept": ("kept after review", "复核后保留"),
    "approved.act.wording": ("wording added", "增加问法"),
    "approved.act.dropped": ("dropped", "撤销"),
    "approved.act.imported": ("imported", "导入"),
    "approved.none": ("No answers are approved.", "没有已认可的回答。"),
    "approved.none_waits": ("No answer waits for review.", "没有待复核的回答。"),
    "approved.waiting": ("{count} of {all} wait for review.", "{all} 个中有 {count} 个待复核。"),
    "approved.done": ("approved: {id}", "已认可：{id}"),
    "approved.unsupported": ("marked, not in the cited text: {item}", "已标记，引文中没有：{item}"),
    "approved.also": ("also asked as: {wording}", "也这样问：{wording}"),
    "approved.dropped": ("dropped: {id}; its history stays", "已撤销：{id}；历史保留"),
    "approved.before": ("then", "当时"),
    "approved.after": ("now", "现在"),
    "approved.now_at": ("stands now at {place}", "现在位于 {place}"),
    "approved.against": ("{place} says {says}, not {said}", "{place} 写的是 {says}，不是 {said}"),
    "approved.newer": ("a newer version: {path}", "更新的版本：{path}"),
    "approved.no_longer": (
        "no longer in the evidence: {item}",
        "依据中已没有：{item}",
    ),
    "approved.edited": ("text edited", "文字经过修改"),
    "approved.history": ("History", "历史"),
    "approved.exported": ("{count} written: {path}", "已写出 {count} 个：{path}"),
    "approved.imported": (
        "{taken} taken in, {unchanged} were there already, {waiting} wait for review",
        "导入 {taken} 个，{unchanged} 个已有，{waiting} 个待复核",
    ),
    "approved.known": (
        "known when it was approved: {place} says {says}, not {said}",
        "认可时已知：{place} 写的是 {says}，不是 {said}",
    ),
    # help
    "help.approve": (
        "Approve an answer: it is given first from now on, until its evidence changes.",
        "认可一个回答：此后先给出它，直到依据有变化。",
    ),
    "help.approve_what": (
        "A run (as shown by trace list, or last), or a question that was asked.",
        "一次运行（trace list 显示的编号，或 last），或问过的问题。",
    ),
    "help.approve_edit": ("Edit the text before, in $EDITOR.", "先在 $EDITOR 中修改文字。"),
    "help.approve_answer": (
        "The text in the place of the answer's own, or a file with it; - is stdin.",
        "用这段文字（或文件中的文字）代替原回答；- 为标准输入。",
    ),
    "help.approve_by": ("Who approves it; by default your login.", "由谁认可；默认为登录名。"),
    "help.approve_note": ("A note for whoever reviews it.", "给复核者的备注。"),
    "help.approve_question": (
        "The question it answers, where that is not the one asked.",
        "它回答的问题（与当时所问不同时）。",
    ),
    "help.approve_force": (
        "Also what the cited text does not hold; it stays marked.",
        "引文不支持的也认可，但保留标记。",
    ),
    "help.approved": (
        "Answers that people approved, and what became of their evidence.",
        "已认可的回答及其依据的现状。",
    ),
    "help.approved_id": ("As shown by approved list.", "approved list 显示的编号。"),
    "help.approved_list": ("Every approved answer, and how it stands.", "全部已认可的回答及现状。"),
    "help.approved_show": (
        "One answer: text, evidence then and now, history.",
        "一个回答：文字、依据的前后对照、历史。",
    ),
    "help.approved_also": (
        "Let another wording of the question mean the answer too.",
        "让问题的另一种问法也得到这个回答。",
    ),
    "help.approved_also_force": (
        "Although figures, names or negations differ.",
        "即使数字、名称或否定词不同。",
    ),
    "help.approved_wording": ("The other wording.", "另一种问法。"),
    "help.approved_drop": (
        "Give an answer no more; its history stays.",
        "不再给出某个回答；历史保留。",
    ),
    "help.approved_review": (
        "The answers whose evidence has changed; exit 1 when there are any.",
        "依据有变化、等待复核的回答；有则以 1 退出。",
    ),
    "help.approved_keep": (
        "Keep an answer after review, on the evidence as it stands now.",
        "复核后保留某个回答，以现在的依据为准。",
    ),
    "help.approved_export": (
        "Write them all to a file: CSV, JSON lines, or questions for eval run.",
        "写出到文件：CSV、JSON 行，或供 eval run 用的问题集。",
    ),
    "help.approved_import": (
        "Take in what was exported; each is looked at over the documents here.",
        "导入写出的文件；逐个对照这里的文档。",
    ),
    "help.approved_to": ("Where to; - is stdout.", "写到哪里；- 为标准输出。"),
    "help.approved_from": ("The file; - is stdin.", "文件；- 为标准输入。"),
    "help.approved_as": (
        "csv, jsonl or questions; by default as the file is named.",
        "csv、jsonl 或 questions；默认看文件名。",
    ),
    "help.as_questions": ("The same as --as questions.", "等于 --as questions。"),
}

APPROVING_ERRORS_ZH: Mapping[str, tuple[str, str]] = {
    "approval": ("{detail}", ""),
    "approval_missing": (
        "没有已认可的回答 {answer_id!r}。",
        "`fanshu approved list` 列出全部。",
    ),
    "approval_refused": ("无法认可：{detail}。", ""),
    "approval_unchecked": (
        "引文中没有：{items}。",
        "请修改回答，或用 --force 仍然认可；它会保留标记。",
    ),
    "approvals_unusable": (
        "已认可的回答 {path!r} 无法使用：{detail}。",
        "请检查权限和磁盘。",
    ),
}

APPROVING_PARTICULARS: tuple[tuple[str, str], ...] = (
    ("there is no text; write one with --answer or --edit", "没有文字；请用 --answer 或 --edit 写"),
    ("an answer may have {limit} characters", "回答最多 {limit} 字"),
    ("a question has 1 to {limit} characters", "问题须有 1 至 {limit} 字"),
    ("nobody is named who approves it", "没有写明由谁认可"),
    ("nobody is named who approves it; use --by", "没有写明由谁认可；请用 --by"),
    ("it cites nothing, so nothing could be looked at again", "它没有引用，无从复核"),
    (
        "{place} has changed since the answer was given; ask again with --fresh",
        "{place} 在回答之后有变化；请用 --fresh 重新提问",
    ),
    (
        "its question goes on from an earlier one; give one that stands alone (--question)",
        "它的问题承接上文；请给出可以单独成立的问题（--question）",
    ),
    (
        "nothing of its evidence is there any more; drop it, or ask again",
        "依据都已不在；请撤销，或重新提问",
    ),
    ("the text is not in UTF-8", "文字不是 UTF-8"),
    ("another version of fanshu wrote an answer in it", "其中有另一版本的 fanshu 写的回答"),
    ("the wording asks nothing", "这种问法什么也没问"),
    ("an answer has at most {limit} wordings", "一个回答最多 {limit} 种问法"),
    (
        "the wording has other figures, names or negations than the question; --force, if it asks "
        "the same nevertheless",
        "这种问法的数字、名称或否定词与原问题不同；若所问相同，请加 --force",
    ),
    (
        "{what} is no run that is kept, and no question that was asked; ask it first with "
        "`fanshu ask`",
        "{what} 不是保存的运行，也不是问过的问题；请先用 `fanshu ask` 提问",
    ),
    (
        "a newer version of fanshu made it (format {count})",
        "由更新版本的 fanshu 建立（格式 {count}）",
    ),
    ("the approved answers could not be used: {detail}", "已认可的回答未能使用：{detail}"),
    ("--as takes {names}.", "--as 只能是 {names}。"),
    ("{path} holds no approved answer", "{path} 中没有已认可的回答"),
    (
        "{path}, line {count}: no approved answer as exported ({why})",
        "{path} 第 {count} 行：不是导出的已认可回答（{why}）",
    ),
)
