// Keys stay out of everything the suite writes, whatever a host sent back.
import type { Target } from './harness.ts'

const hidden = '[key]'

/** Messages are cut, so one may end inside a key; less than this of a key says nothing. */
const telltaleLength = 6
const cutMarks = '…)'

/** A key as it is, and as a URL, JSON or a header of another scheme writes it. */
const formsOf = (key: string): readonly string[] => [
  key,
  encodeURIComponent(key),
  JSON.stringify(key).slice(1, -1),
  Buffer.from(key).toString('base64'),
]

/** The text without the beginning of a form where the text was cut inside it. */
function withoutCutForm(text: string, form: string): string {
  const beginning = form.slice(0, telltaleLength)
  let kept = ''
  let from = 0
  for (let at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, from)) {
    let end = at + beginning.length
    while (end < text.length && text[end] === form[end - at]) end += 1
    const isCut = end === text.length || cutMarks.includes(text.charAt(end))
    kept += text.slice(from, at) + (isCut ? hidden : text.slice(at, end))
    from = end
  }
  return kept + text.slice(from)
}

export function withoutKeys(target: Target, text: string): string {
  const keys = [target.key, target.keyB, target.lowScopeKey, target.revokedKey]
  const forms = keys.flatMap((key) => (key ? formsOf(key) : []))
  const whole = forms.reduce((rest, form) => rest.replaceAll(form, hidden), text)
  return forms.filter(({ length }) => length > telltaleLength).reduce(withoutCutForm, whole)
}
