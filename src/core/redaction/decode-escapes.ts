/** A text with its escapes decoded, and the start and end of each unit in the original text. */
export type Decoded = { readonly text: string; readonly from: Uint32Array; readonly to: Uint32Array }

/** Escapes may be nested; programs rarely escape a text more often than this. */
const passesMax = 3

const escapes =
  /&#(\d{1,7});?|&#[xX]([0-9a-fA-F]{1,6});?|&([A-Za-z]{2,18});|\\u\{?([0-9a-fA-F]{4,6})\}?|%u([0-9a-fA-F]{4})|((?:%[0-9a-fA-F]{2})+|(?:\\x[0-9a-fA-F]{2})+)|\\([nrtbf"'`/\\])/g

/** A cheap test with false positives and no false negatives. */
export function mayContainEscapes(text: string): boolean {
  return /&[#A-Za-z]|\\[ux\\nrtbf"'`/]|%[0-9a-fA-Fu]/.test(text)
}

/** Decodes HTML entities, JSON escapes and percent codes. Undefined when the text contains none. */
export function decodeEscapes(text: string): Decoded | undefined {
  let decoded: Decoded | undefined
  for (let pass = 0; pass < passesMax; pass++) {
    const next = decodeOnce(decoded ?? { text })
    if (next === undefined) break
    decoded = next
  }
  return decoded
}

function decodeOnce({ text, from, to }: { text: string; from?: Uint32Array; to?: Uint32Array }): Decoded | undefined {
  const pieces: string[] = []
  const starts = new Uint32Array(text.length)
  const ends = new Uint32Array(text.length)
  let length = 0
  let done = 0
  const keep = (end: number) => {
    pieces.push(text.slice(done, end))
    for (; done < end; done++, length++) {
      starts[length] = from?.[done] ?? done
      ends[length] = to?.[done] ?? done + 1
    }
  }
  const put = (piece: string, start: number, end: number) => {
    pieces.push(piece)
    for (let unit = 0; unit < piece.length; unit++, length++) {
      starts[length] = from?.[start] ?? start
      ends[length] = to?.[end - 1] ?? end
    }
  }
  for (const match of text.matchAll(escapes)) {
    const [written, decimal, hex, name, jsonCode, oldCode, bytes, sign] = match
    const start = match.index
    const end = start + written.length
    if (bytes !== undefined) {
      keep(start)
      const width = bytes.startsWith('%') ? 3 : 4
      for (const { character, at, size } of utf8Characters(bytes, width))
        put(character, start + at * width, start + (at + size) * width)
      done = end
      continue
    }
    const code = decimal ? Number(decimal) : Number.parseInt(hex ?? jsonCode ?? oldCode ?? '', 16)
    const character = name ? named(name) : sign ? (controls[sign] ?? sign) : characterOf(code)
    if (character === undefined) continue
    keep(start)
    put(character, start, end)
    done = end
  }
  if (done === 0) return undefined
  keep(text.length)
  return { text: pieces.join(''), from: starts, to: ends }
}

const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** A decoded character is shorter than its escape, so the decoded text fits into buffers of the original length. */
function characterOf(code: number): string | undefined {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}

/** The characters of a sequence of `%61` or `\\x61`. A byte that is not valid UTF-8 is decoded as Latin-1. */
function* utf8Characters(escaped: string, width: number): Generator<{ character: string; at: number; size: number }> {
  const bytes = Array.from({ length: escaped.length / width }, (_, at) =>
    Number.parseInt(escaped.slice((at + 1) * width - 2, (at + 1) * width), 16),
  )
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0
    const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1
    const rest = bytes.slice(at + 1, at + size)
    const isWhole = rest.length === size - 1 && rest.every((byte) => (byte & 0xc0) === 0x80)
    const lead = size === 1 ? first : first & (0x7f >> size)
    const code = isWhole ? rest.reduce((sum, byte) => sum * 64 + (byte & 0x3f), lead) : first
    const used = isWhole ? size : 1
    yield { character: characterOf(code) ?? '\u0001', at, size: used }
    at += used
  }
}

/** HTML entity names of characters that occur in secrets. Accented letters lose their accent: folding removes it anyway. */
const names: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ Tab: '\t', NewLine: '\n', nbsp: ' ', shy: '\u00ad', zwj: '\u200d', zwnj: '\u200c', ZeroWidthSpace: '\u200b' },
    ...{ NoBreak: '\u2060', excl: '!', quot: '"', QUOT: '"', num: '#', dollar: '$', percnt: '%', amp: '&', AMP: '&' },
    ...{ apos: "'", lpar: '(', rpar: ')', ast: '*', midast: '*', plus: '+', comma: ',', period: '.', sol: '/' },
    ...{ colon: ':', semi: ';', lt: '<', LT: '<', equals: '=', gt: '>', GT: '>', quest: '?', commat: '@', lsqb: '[' },
    ...{ lbrack: '[', bsol: '\\', rsqb: ']', rbrack: ']', Hat: '^', lowbar: '_', UnderBar: '_', grave: '`' },
    ...{ DiacriticalGrave: '`', lcub: '{', lbrace: '{', verbar: '|', vert: '|', VerticalLine: '|', rcub: '}' },
    ...{ rbrace: '}', szlig: 'ß', aelig: 'æ', AElig: 'Æ', oslash: 'ø', Oslash: 'Ø', euro: '€', pound: '£', sect: '§' },
  }),
)

function named(name: string): string | undefined {
  const accented = /^([A-Za-z])(?:acute|grave|circ|uml|tilde|ring|cedil|caron|breve|macr|ogon|dot)$/.exec(name)
  return names.get(name) ?? accented?.[1]
}
