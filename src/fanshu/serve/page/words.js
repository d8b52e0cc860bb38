// What the page says, in English and Chinese: one table.

const WORDS = {
  "nav.ask": ["Ask", "提问"],
  "nav.library": ["Library", "文档"],
  "nav.history": ["History", "历史"],
  "nav.unanswered": ["Unanswered", "未答"],
  "nav.label": ["Main", "主导航"],
  skip: ["Skip to the content", "跳到正文"],
  "tools.language": ["中文", "English"],
  "tools.language.label": ["切换到中文", "Switch to English"],
  "tools.dark": ["Dark", "深色"],
  "tools.light": ["Light", "浅色"],
  "tools.library": ["Library", "文档库"],
  "tools.logout": ["Log out", "退出"],
  "keys.hint": ["Press / to write, Enter to ask, Esc to stop or close", "按 / 输入，Enter 提问，Esc 停止或关闭"],
  // asking
  "ask.title": ["What would you like to know?", "想查点什么？"],
  "ask.lead": ["Your question is looked up in {files} documents, the way a careful person leafs through them. Every quote is checked against the text.", "在 {files} 份文档里逐页翻查，像一个细心的人那样；每一处引文都与原文核对。"],
  "ask.empty": ["There are no readable documents here yet.", "这里还没有可读的文档。"],
  "ask.label": ["Question", "问题"],
  "ask.placeholder": ["Ask the documents …", "向文档提问……"],
  "ask.followup": ["Ask further …", "接着问……"],
  "ask.submit": ["Ask", "提问"],
  "ask.stop": ["Stop", "停止"],
  "ask.new": ["New question", "新问题"],
  "ask.again": ["Ask anew", "重新查"],
  "ask.recent": ["Asked lately", "最近问过"],
  "ask.folders": ["In the library", "文档里有"],
  "ask.queued": ["Waiting for a free place: {place} before you", "排队中：前面还有 {place} 个"],
  "ask.stopped": ["Stopped.", "已停止。"],
  "ask.failed": ["That did not work", "没有成功"],
  "error.unreachable": ["The service cannot be reached. Is it still running?", "连接不上服务。它还在运行吗？"],
  "error.cut_off": ["The connection broke off before there was an answer.", "还没有答案，连接就断了。"],
  "error.retry": ["Try again", "重试"],
  // steps
  "steps.label": ["How it was found", "查找过程"],
  "steps.thinking": ["thinking, round {round} of {rounds}", "思考中，第 {round}/{rounds} 轮"],
  "steps.starting": ["opening the library", "打开文档"],
  "steps.show": ["Show the {steps} steps", "查看 {steps} 个步骤"],
  "steps.summary": ["searches {searches} · sections read {reads} · {seconds} s", "搜索 {searches} 次 · 读了 {reads} 段 · {seconds} 秒"],
  "step.ahead": ["First look", "先查"],
  "step.ahead.words": ["with the words of the question", "用问题的原词"],
  "step.search": ["Search", "搜索"],
  "step.read": ["Read", "阅读"],
  "step.next_chunk": ["Turn the page", "翻到下一段"],
  "step.prev_chunk": ["Turn back", "翻到上一段"],
  "step.outline": ["Look at the outline", "看目录"],
  "step.summarize": ["Note", "记下"],
  "step.answer": ["Check the answer", "核对答案"],
  "step.passed": ["passed", "通过"],
  "step.sent": ["sent back", "退回"],
  "step.bounced": ["Sent back to look again", "退回再看"],
  "step.found": ["{total} places", "{total} 处"],
  "step.found.one": ["1 place", "1 处"],
  "step.nothing": ["nothing", "没有"],
  "step.failed": ["not possible", "未成功"],
  "step.again": ["already done", "已做过"],
  "step.everything": ["everything", "全部"],
  "step.more": ["and {count} more", "还有 {count} 处"],
  // answer
  "status.answered": ["quotes checked", "原文核对一致"],
  "status.partial": ["partial: see below what is missing", "部分回答：缺少的内容见下"],
  "status.unfinished": ["no answer; what was found is below", "没有得出答案，已找到的见下"],
  "status.passages": ["passages from the documents, no model used", "原文摘录（未经模型整理）"],
  "status.not_found": ["not found in the documents", "文档中未找到"],
  "status.error": ["failed", "出错"],
  "status.running": ["being answered", "正在回答"],
  "status.interrupted": ["interrupted: the service ended before the answer", "已中断：服务在给出答案前停止"],
  "means.answered": ["Code has checked that every quote stands word for word where it is said to stand, and that every figure stands in what is quoted. Whether a passage supports the claim is the model's judgement: one click shows it to you.", "程序核对过：每处引文都逐字见于所说的位置，每个数字都见于所引的原文。原文是否支持结论，仍是模型的判断——点一下就能看到。"],
  "means.partial": ["Something is missing or failed a check; what is said below tells what. The quotes shown were checked.", "有内容缺失或未通过核对，下面写明是什么。所列引文都核对过。"],
  "means.passages": ["Whole sentences of the documents that hold the words of the question. No language model has read them; for an answer in words, the service needs one.", "含有问题用词的原文整句，没有经过语言模型。需要由模型作答时，请为服务指定一个模型。"],
  "means.not_found": ["The documents were searched as shown, and nothing that can be cited answers the question. Other words may find it.", "按所示的词查过文档，没有可以引用的内容回答这个问题。换个说法也许能查到。"],
  "means.error": ["The run ended early.", "查找中途结束。"],
  "means.ask": ["what does that mean?", "这是什么意思？"],
  "stop.max_rounds": ["all rounds were used", "轮数已用完"],
  "stop.loop": ["the model repeated itself", "模型重复同样的动作"],
  "stop.bad_calls": ["the model's calls were unusable", "模型的调用无法使用"],
  "stop.budget": ["the token budget was used up", "token 预算已用完"],
  "stop.deadline": ["the time was up", "时间已到"],
  "stop.interrupted": ["interrupted", "已中断"],
  "stop.model_error": ["the model failed", "模型出错"],
  "answer.label": ["Answer", "回答"],
  "answer.sources": ["Sources", "出处"],
  "answer.unsupported": ["not in the cited text: {item}", "引文中没有：{item}"],
  "answer.rejected": ["citations removed, because their quotes do not stand in the text: {count}", "删去 {count} 处引用：引文与原文不符"],
  "answer.related": ["Nearest in the documents", "文档中最接近的内容"],
  "answer.searched": ["Searched for", "搜索过"],
  "answer.cached": ["from the cache, checked again", "来自缓存，已重新核对"],
  "answer.as_of": ["documents as of {time}", "文档截至 {time}"],
  "answer.unverified": ["Not checked", "未经核对"],
  "answer.newer": ["A newer version exists: {file}", "有更新的版本：{file}"],
  "answer.open": ["Open source {number}: {place}", "打开出处 {number}：{place}"],
  "answer.located": ["place found by code", "位置由程序找到"],
  "answer.picture": ["Picture of this section", "本节的图"],
  "answer.copy": ["Copy as Markdown", "复制为 Markdown"],
  "answer.copied": ["Copied", "已复制"],
  "answer.good": ["Good answer", "答得好"],
  "answer.bad": ["Not good", "不好"],
  "answer.note": ["What was wrong or missing? (optional)", "哪里不对、缺了什么？（可不填）"],
  "answer.send": ["Send", "发送"],
  "answer.thanks": ["Thank you, noted.", "谢谢，已记下。"],
  "answer.suggest": ["Worth a search", "可以试着搜"],
  "answer.replay": ["Replay", "回放"],
  "stats.rounds": ["{rounds} rounds", "{rounds} 轮"],
  "stats.rounds.one": ["1 round", "1 轮"],
  "stats.tokens": ["{tokens} tokens", "{tokens} tokens"],
  "stats.seconds": ["{seconds} s", "{seconds} 秒"],
  "place.line": ["line {a}", "第 {a} 行"],
  "place.lines": ["lines {a}–{b}", "第 {a}–{b} 行"],
  "place.page": ["page {page}", "第 {page} 页"],
  // reading
  "reader.label": ["Document", "文档"],
  "reader.close": ["Close", "关闭"],
  "reader.original": ["Original file", "原文件"],
  "reader.dated": ["of {date}", "日期 {date}"],
  "reader.previous": ["Previous section", "上一节"],
  "reader.next": ["Next section", "下一节"],
  "reader.outline": ["Sections", "目录"],
  "reader.beginning": ["Beginning", "开头"],
  "reader.cited": ["Cited: {place}", "所引：{place}"],
  "reader.previous.named": ["Previous section: {name}", "上一节：{name}"],
  "reader.next.named": ["Next section: {name}", "下一节：{name}"],
  "reader.changed": ["This file has changed since it was cited; this is its text now.", "引用之后这个文件有改动，这里是现在的内容。"],
  "reader.moved": ["The cited passage is not found word for word in this section as it is now.", "在这一节现在的内容里没有逐字找到所引的原文。"],
  "reader.page": ["Page {page} of {file}", "{file} 第 {page} 页"],
  "reader.page.previous": ["Page back", "上一页"],
  "reader.page.next": ["Page on", "下一页"],
  "reader.text": ["Text as it was read", "读到的文字"],
  "reader.loading": ["Opening …", "正在打开……"],
  "reader.start": ["The document begins here.", "文档由此开始。"],
  "reader.end": ["The document ends here.", "文档到此为止。"],
  "reader.table": ["Wide content, scrolls sideways", "可左右滚动的内容"],
  // library
  "library.title": ["Library", "文档"],
  "library.summary": ["{files} documents · {sections} sections · {characters} characters", "{files} 份文档 · {sections} 段 · {characters} 字"],
  "library.filter": ["Search in the documents, or name a file", "在文档里搜索，或输入文件名"],
  "library.search": ["Search", "搜索"],
  "library.troubled": ["{count} files could not be read whole", "{count} 个文件未能完整读取"],
  "library.troubled.one": ["1 file could not be read whole", "1 个文件未能完整读取"],
  "library.only": ["Show only these", "只看这些"],
  "library.all": ["Show all", "显示全部"],
  "library.files": ["{count} files", "{count} 个文件"],
  "library.files.one": ["1 file", "1 个文件"],
  "library.none": ["No documents.", "没有文档。"],
  "library.newer": ["newer version exists", "有新版"],
  "library.synced": ["compared {when}", "{when} 核对"],
  "state.ok": ["ok", "正常"],
  "state.failed": ["failed", "失败"],
  "state.no_text": ["no text", "无文字"],
  "state.partial_text": ["partly without text", "部分无文字"],
  "state.ocr_pending": ["waiting for OCR", "待识别"],
  "state.encrypted": ["encrypted", "已加密"],
  "state.skipped": ["skipped", "跳过"],
  // search
  "search.found": ["{total} places in {files} files", "{files} 个文件里有 {total} 处"],
  "search.some": ["No place holds all of the words; these hold most.", "没有同时含有所有词的位置；下面的含有大部分。"],
  "search.missing": ["Nowhere in the documents: {words}", "文档里没有：{words}"],
  "search.none": ["Nothing found for “{words}”.", "没有找到“{words}”。"],
  "search.try": ["Try", "试试"],
  "search.more": ["More in", "还有"],
  "search.files": ["Files of that name", "文件名相符"],
  "search.ask": ["Ask this as a question", "作为问题来问"],
  // history
  "history.title": ["History", "历史"],
  "history.empty": ["Nothing asked yet.", "还没有问过问题。"],
  "history.replay": ["Replay of a run", "回放"],
  "history.step": ["Step {at} of {steps}", "第 {at}/{steps} 步"],
  "history.back": ["Back", "后退"],
  "history.forward": ["Forward", "前进"],
  "history.play": ["Play", "播放"],
  "history.pause": ["Pause", "暂停"],
  "history.end": ["To the answer", "到答案"],
  "history.gone": ["The steps of this run are no longer kept.", "这次查找的过程已不再保存。"],
  "unanswered.title": ["Unanswered questions", "未能回答的问题"],
  "unanswered.lead": ["What people asked and the documents did not answer, or not well: where a page is missing.", "大家问过而文档没有答上、或答得不好的问题：这里缺一页。"],
  "unanswered.empty": ["Nothing is waiting here.", "这里没有积压的问题。"],
  "unanswered.bad": ["marked as not good", "被标为不好"],
  // approved answers
  "nav.approved": ["Approved", "认可"],
  "history.state": ["its evidence: {state}", "依据{state}"],
  "approved.by": ["Approved by {by}, {when}", "已由 {by} 认可，{when}"],
  "approved.waits": ["An approved answer (by {by}, {when}) waits for review, because its evidence is {state}. This is another one, found anew.", "已认可的回答（{by}，{when}）因依据{state}正待复核。这里是重新查出的回答。"],
  "approved.review": ["Review it", "去复核"],
  "approved.open": ["Approved answer", "已认可的回答"],
  "approved.approve": ["Approve", "认可"],
  "approved.done": ["Approved: given first from now on.", "已认可：此后先给出它。"],
  "approved.text": ["The answer, in your words if need be", "回答，可以修改"],
  "approved.note": ["Note for whoever reviews it (optional)", "给复核者的备注（可不填）"],
  "approved.unchecked": ["The cited text does not hold:", "引文中没有："],
  "approved.insist": ["Approve all the same, marked", "仍然认可，并标记"],
  "approved.title": ["Approved answers", "已认可的回答"],
  "approved.lead": ["They are given first, as long as what they rest on still stands. The others wait here for somebody to look.", "依据未变时先给出这些回答；依据有变的在这里等人复核。"],
  "approved.waiting": ["Waiting for review: {count}", "待复核：{count}"],
  "approved.none_waits": ["No answer waits for review.", "没有待复核的回答。"],
  "approved.others": ["Given as approved", "照此给出"],
  "approved.edited": ["text edited", "文字经过修改"],
  "approved.also": ["also asked as: {text}", "也这样问：{text}"],
  "approved.no_longer": ["no longer in the evidence: {item}", "依据中已没有：{item}"],
  "approved.then": ["Then", "当时"],
  "approved.now": ["Now", "现在"],
  "approved.against": ["says {says}, not {said}", "写的是 {says}，不是 {said}"],
  "approved.keep": ["Keep it, on the evidence as it is now", "以现在的依据保留"],
  "approved.keep_edit": ["Keep or edit", "保留或修改"],
  "approved.edit": ["Edit", "修改"],
  "approved.kept": ["Kept.", "已保留。"],
  "approved.drop": ["Drop", "撤销"],
  "approved.drop_sure": ["Really drop it?", "确定撤销？"],
  "approved.state.unchanged": ["unchanged", "未变"],
  "approved.state.moved": ["moved", "已移动"],
  "approved.state.changed": ["changed", "已改动"],
  "approved.state.gone": ["gone", "已消失"],
  "approved.state.superseded": ["superseded by a newer version", "已有更新的版本"],
  "approved.state.contradicted": ["contradicted by another document", "与另一文档不一致"],
  // check-up
  "nav.check": ["Check-up", "体检"],
  "check.title": ["Check-up", "文档体检"],
  "check.lead": ["What does not fit together in these documents. Found by comparing them; no model has read them, and nothing is changed.", "这些文档里对不上的地方。由程序比对得出，不经过模型，也不改动任何文件。"],
  "check.summary": ["{found} findings in {files} documents, {sections} sections", "{files} 份文档、{sections} 节，发现 {found} 项"],
  "check.again": ["Check again", "重新体检"],
  "check.waiting": ["Getting ready …", "准备中……"],
  "check.working": ["Comparing the documents: {done} of {total}", "正在比对文档：{done} / {total}"],
  "check.renewing": ["The documents are being compared anew; this is the last result.", "正在重新比对，下面是上次的结果。"],
  "check.outdated": ["Documents have changed since.", "之后文档有改动。"],
  "check.partly": ["You see a part of this library, and only that part was compared.", "你能看到这个文档库的一部分，比对的也只是这一部分。"],
  "check.rules_failed": [".fanshu/check-ignore.toml cannot be read, so nothing is left out. The log of the service says why.", ".fanshu/check-ignore.toml 无法读取，因此没有略去任何项。原因见服务日志。"],
  "check.unused": ["This rule of .fanshu/check-ignore.toml matches nothing any more: {rule}", ".fanshu/check-ignore.toml 中的这条规则已不起作用：{rule}"],
  "check.ignored": ["{count} left out by .fanshu/check-ignore.toml", ".fanshu/check-ignore.toml 略去 {count} 项"],
  "check.none": ["Nothing found.", "没有发现问题。"],
  "check.none.more": ["Values, contacts, references, links, versions, headings and terms fit together, as far as code can tell.", "数值、联系方式、引用、链接、版本、标题和术语，程序没有发现对不上的地方。"],
  "check.none.here": ["Nothing found here.", "这里没有发现问题。"],
  "check.kinds": ["Kinds of findings", "问题类别"],
  "check.all": ["All", "全部"],
  "check.kind.conflict": ["Values", "数值"],
  "check.kind.contact": ["Contacts", "联系方式"],
  "check.kind.twin": ["Near copies", "近似内容"],
  "check.kind.superseded": ["Versions", "版本"],
  "check.kind.reference": ["References", "引用"],
  "check.kind.link": ["Links", "链接"],
  "check.kind.unreadable": ["Unreadable", "读不出"],
  "check.kind.headings": ["Headings", "标题"],
  "check.kind.section": ["Sections", "章节"],
  "check.kind.term": ["Terms", "术语"],
  "check.folder": ["Folder", "文件夹"],
  "check.folders": ["All folders", "所有文件夹"],
  "check.more": ["{count} more of this kind", "此类还有 {count} 项"],
  "check.places": ["and {count} more places", "另有 {count} 处"],
  "check.places.one": ["and 1 more place", "另有 1 处"],
  "check.open": ["Open: {place}", "打开：{place}"],
  "check.copy_all": ["Copy these as Markdown", "复制这些为 Markdown"],
  "check.copy_rule": ["Copy the rule", "复制规则"],
  "check.ignore": ["Not a mistake?", "这样写是对的？"],
  "check.ignore.how": ["With these lines it is left out from now on, for everybody. Write why, and put them into the folder of the documents, in", "加上这几行，以后不再列出，对所有人都如此。请写明理由，加到文档所在文件夹的"],
  "check.ignore.reason": ["why this is right", "为什么这样写是对的"],
  "check.sure.high": ["sure", "很可能"],
  "check.sure.medium": ["likely", "有可能"],
  "check.sure.low": ["perhaps", "待核实"],
  "check.sure.means": ["How sure it is that something is wrong", "确有问题的把握"],
  // login
  "login.title": ["Log in", "登录"],
  "login.lead": ["These documents are for people with a name here.", "请登录后查看文档。"],
  "login.name": ["Name", "用户名"],
  "login.password": ["Password", "密码"],
  "login.submit": ["Log in", "登录"],
  "login.wrong": ["Name or password is wrong.", "用户名或密码不对。"],
};

const KEPT = "fanshu.language";
let language = kept() ?? (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");

function kept() {
  const value = localStorage.getItem(KEPT);
  return value === "zh" || value === "en" ? value : null;
}

export const current = () => language;

export function speak(name) {
  language = name;
  localStorage.setItem(KEPT, name);
}

// A phrase in the chosen language, its fields filled in.
export function say(key, fields = {}) {
  const single = Object.values(fields).some((value) => String(value) === "1");
  const words = (single && WORDS[`${key}.one`]) || WORDS[key];
  if (!words) return key;
  return words[language === "zh" ? 1 : 0].replace(/\{(\w+)\}/g, (_, name) => fields[name] ?? "");
}

export const known = (key) => key in WORDS;

export const number = (value) => value.toLocaleString(language === "zh" ? "zh-CN" : "en");

export function size(bytes) {
  const units = ["B", "kB", "MB", "GB"];
  let at = 0;
  let value = bytes;
  for (; value >= 1000 && at < units.length - 1; at++) value /= 1000;
  return `${value.toLocaleString(language, { maximumFractionDigits: value < 10 && at ? 1 : 0 })} ${units[at]}`;
}

export function when(value) {
  const date = new Date(typeof value === "number" ? value * 1000 : value);
  if (Number.isNaN(date.getTime())) return "";
  const today = new Date().toDateString() === date.toDateString();
  const form = today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return date.toLocaleString(language === "zh" ? "zh-CN" : "en", form);
}

export function place(lines, page) {
  if (lines) return lines[0] === lines[1] ? say("place.line", { a: lines[0] }) : say("place.lines", { a: lines[0], b: lines[1] });
  return page ? say("place.page", { page }) : "";
}
