/** Made-up values for the corpus: the same ones on every run, and none of them stands in a file. */
export type Generator = ReturnType<typeof createGenerator>

const lower = 'abcdefghijklmnopqrstuvwxyz'
const upper = lower.toUpperCase()
const digits = '0123456789'

/** Fills `{h:32}`, `{pw}` and their like with made-up values, and gives the last of them too. */
export function fillLine(line: string, g: Generator): { readonly text: string; readonly last: string } {
  let last = ''
  const makers: Readonly<Record<string, (length: number) => string>> = {
    ...{ h: g.hex, a: g.alnum, u: g.url64, b: g.base64, d: g.digits, A: g.upperAlnum, l: g.lowerAlnum, L: g.letters },
    ...{ B32: g.base32, pw: g.password, uuid: g.uuid, jwt: g.jwt },
  }
  const text = line.replaceAll('\\N', '\n').replace(/\{(\w+?)(?::(\d+))?\}/g, (all, kind: string, length?: string) => {
    const make = makers[kind]
    if (make === undefined) return all
    last = make(Number(length))
    return last
  })
  return { text, last }
}

export function createGenerator(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  const pick = <T>(items: ArrayLike<T>): T => items[below(items.length)] as T
  const from = (alphabet: string, length: number) => Array.from({ length }, () => pick(alphabet)).join('')
  const hex = (length: number) => from('0123456789abcdef', length)
  const alnum = (length: number) => from(lower + upper + digits, length)
  const bytes = (length: number) => Buffer.from(Array.from({ length }, () => below(256)))
  return {
    below,
    pick,
    from,
    hex,
    alnum,
    bytes,
    upperHex: (length: number) => hex(length).toUpperCase(),
    lowerAlnum: (length: number) => from(lower + digits, length),
    upperAlnum: (length: number) => from(upper + digits, length),
    base32: (length: number) => from(`${upper}234567`, length),
    letters: (length: number) => from(lower + upper, length),
    digits: (length: number) => pick('123456789') + from(digits, length - 1),
    url64: (length: number) => from(`${lower}${upper}${digits}-_`, length),
    base64: (length: number) => bytes(length).toString('base64'),
    uuid: () => {
      const text = hex(32)
      return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-${pick('89ab')}${text.slice(17, 20)}-${text.slice(20)}`
    },
    uuidV7: () => {
      const text = hex(32)
      return `0198${text.slice(4, 8)}-${text.slice(8, 12)}-7${text.slice(13, 16)}-${pick('89ab')}${text.slice(17, 20)}-${text.slice(20)}`
    },
    jwt: () => {
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const header = part({ alg: pick(['HS256', 'RS256', 'ES256']), typ: 'JWT' })
      return `${header}.${part({ sub: hex(12), iat: 1_700_000_000 + below(1e7) })}.${bytes(32).toString('base64url')}`
    },
    password: () => {
      const word = pick([
        'Sommer',
        'summer',
        'Dragon',
        'monkey',
        'Colophon',
        'sunshine',
        'Berlin',
        'Tiger',
        'blue',
        'Falcon',
      ])
      const symbol = () => pick('!$%*+?_-.@#')
      return pick([
        () => `${word}${digits.slice(below(6), 8)}${symbol()}`,
        () => `${word}${symbol()}${2015 + below(12)}`,
        () => from(lower + upper + digits, 8 + below(10)).replace(/^./, 'q') + pick(digits),
        () =>
          `${from(lower + upper, 5)}${symbol()}${from(digits, 3)}${from(lower + upper, 4)}${pick(['!', '?', '*', '+'])}`,
        () => word.replace('i', '1').replace('e', '3').replace('o', '0').replace('a', '4') + from(digits, 2),
      ])()
    },
  }
}
