// Control and format characters, but for tab, line feed, carriage return and the joiner inside emoji.
const INVISIBLE = /(?![\t\n\r\u200d])[\p{Cc}\p{Cf}]/gu;

/**
 * Makes invisible characters visible: terminal codes, and marks that change the direction of writing, with which one
 * text can be made to look like another. Applied to every string that the service answers.
 */
export function visible(text: string): string {
  return text.replace(INVISIBLE, "\ufffd");
}

/** The first characters of a digest or commit; enough to tell them apart on one page. */
export function short(digest: string, length = 10): string {
  return digest.slice(0, length);
}
