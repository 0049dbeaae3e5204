import type { Occasion, SkillLine } from "../../../lib/api/generated";
import { reveal } from "../../../lib/format/hiddenCharacters";

/** What a text of guidance amounts to, counted as Outrider counts: a character is a code point, not half of one. */
export function counted(text: string): { characters: number; words: number } {
  return {
    characters: Array.from(text).length,
    words: text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)?.length ?? 0,
  };
}

export const OCCASIONS: Record<Occasion, string> = {
  invitation: "invitations",
  message: "messages",
  reply: "replies",
  scoring: "scoring",
  assistant: "the assistant",
  review: "reviews",
};

/** "invitations, messages and replies". */
export function listed(occasions: readonly Occasion[]): string {
  const names = occasions.map((occasion) => OCCASIONS[occasion]);
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** What a skill is called: "handling-a-reply" as "Handling a reply". */
export const skillTitle = ({ name }: Pick<SkillLine, "name">): string => reveal(`${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("-", " ")}`);

/** The status of a skill, in a word. */
export const skillStatus = (skill: Pick<SkillLine, "review_state" | "enabled">): "in_use" | "to_be_reviewed" | "off" =>
  skill.review_state === "unreviewed" ? "to_be_reviewed" : skill.enabled ? "in_use" : "off";

/** Those that wait for the user first, then by name as they came. */
export const inOrder = <Row extends Pick<SkillLine, "review_state" | "enabled">>(rows: readonly Row[]): Row[] =>
  rows.toSorted(
    (row, other) => Number(skillStatus(other) === "to_be_reviewed") - Number(skillStatus(row) === "to_be_reviewed"),
  );
