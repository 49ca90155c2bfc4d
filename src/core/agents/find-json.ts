/** Finds the JSON in a response. Models wrap it in code fences, sentences or reasoning, even when the prompt forbids it. */
export function findJson(text: string): unknown {
  const afterReasoning = text.split('</think>').at(-1) ?? ''
  const fenced = afterReasoning.split(/```(?:json)?\s/i)[1]?.split('```')[0] ?? ''
  const bare = afterReasoning.slice(Math.max(afterReasoning.indexOf('{'), 0), afterReasoning.lastIndexOf('}') + 1)
  for (const attempt of [text, afterReasoning, fenced, bare]) {
    try {
      return JSON.parse(attempt) as unknown
    } catch {
      // The message of the parser quotes the text, so it is not passed on.
    }
  }
  return undefined
}
