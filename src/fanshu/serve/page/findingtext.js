// A finding as text: its message, Markdown to be pasted elsewhere, and the rule that leaves it out.

import { current, place, say } from "./words.js";

export const messageOf = (finding) => (current() === "zh" ? finding.message_zh : finding.message);

export function asMarkdown(finding) {
  const sides = finding.sides.map(({ file_path: path, section_path: trail, lines, page, text }) => {
    const where = [[path, ...trail].join(" › "), place(lines, page)].filter(Boolean).join(", ");
    const quoted = text.trim() ? text.trim().split("\n").map((line) => `  > ${line}`) : [];
    return [`- ${where}`, ...(quoted.length ? ["", ...quoted, ""] : [])].join("\n");
  });
  const more = finding.more ? [`- ${say("check.places", { count: finding.more })}`] : [];
  return [`**${messageOf(finding)}** (${say(`check.sure.${finding.level}`)}, ${finding.id})`, "", ...sides, ...more, ""].join("\n");
}

// TOML: ids are letters, digits and hyphens.
export const ignoring = ({ id }) => `[[ignore]]\nid = "${id}"\nreason = "${say("check.ignore.reason")}"\n`;
