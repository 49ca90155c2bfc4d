/** Marks of emphasis stand around words. `_` and `*` inside of a word, a path or a formula belong to it. */
const start = String.raw`(?<![^\s([{"'“„«‘—–*_~])`
const end = String.raw`(?=[.,;:!?…)\]}"'“”»’—–*_~]{0,8}(?:\s|$))`
const first = String.raw`(?=[\p{L}\p{N}"'“„«(\uE000*_~])`
const last = String.raw`(?<=[\p{L}\p{N}.!?…)"'“”»\uE001*_~])`
/** Longer emphasis stays marked: the limit bounds the cost of a mark that is never closed. */
const charactersMax = 200
const emphasised = (mark: string, inside: string) =>
  new RegExp(`${start}${mark}${first}(${inside}{1,${charactersMax}}?)${last}${mark}${end}`, 'gu')

/** Code, and a name in a program such as `__init__`, which is no emphasised word. */
const verbatim = new RegExp(
  `(?<!\`)(\`{1,3})(?!\`)([^\`]{1,${charactersMax}})\\1(?!\`)|(?<![\\p{L}\\p{N}_])__[A-Za-z][A-Za-z0-9]{0,63}(?:_[A-Za-z0-9]{1,64}){0,8}__(?![\\p{L}\\p{N}_])`,
  'gu',
)
/** The place of one of them. These private characters are first removed, so none of the message stands for a place. */
const placeholder = /\uE000(\d+)\uE001/g
const privateMarks = /[\uE000\uE001]/g
const struck = emphasised('~~', '[^~]')
/** Outer marks first, such as those of `**_both_**`. */
const emphasis = [
  emphasised(String.raw`\*\*`, '.'),
  emphasised('__', '.'),
  emphasised(String.raw`(?<!\*)\*(?!\*)`, '[^*]'),
  emphasised('(?<!_)_(?!_)', '[^_]'),
]
/** Marks in each other, as in `***both***`. */
const levels = 2
/** A row of marks is a line or a gap to fill in. It emphasises nothing, and to look for its other end would take seconds for 64 KB. */
const rowOfMarks = /([*_~]{7,})/

/** A line without the marks of Markdown. What is inside of a word, or of code, stays as it was written; what was struck out is gone. */
export function withoutMarkup(line: string): string {
  if (!/[`*_~]/.test(line)) return line
  const spans: string[] = []
  let text = line.replace(privateMarks, '').replace(verbatim, (whole: string, _marks, code?: string) => {
    spans.push(code?.trim() ?? whole)
    return `\uE000${spans.length - 1}\uE001`
  })
  text = text
    .split(rowOfMarks)
    .map((part) => (rowOfMarks.test(part) ? part : withoutEmphasis(part)))
    .join('')
  return text.replace(placeholder, (_, index: string) => spans[Number(index)] ?? '')
}

function withoutEmphasis(part: string): string {
  let text = part.replace(struck, '')
  for (let level = 0; level < levels; level++) for (const pattern of emphasis) text = text.replace(pattern, '$1')
  return text
}
