/**
 * A value as a JSON document for a prompt. Some servers interpret chat template tokens such as `<|im_start|>` or `[INST]` inside
 * a text as the end of a message, so their brackets are written as JSON escapes.
 */
export function dataDocument(value: unknown): string {
  return JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/\[(?!\{)/g, '\\u005b')
}
