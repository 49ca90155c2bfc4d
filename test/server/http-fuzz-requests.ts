import fc from 'fast-check'
import { table } from './authorisation-table.ts'
import { type Furnished, fill, unknownLike } from './authorisation-things.ts'

/** A call as it goes over the wire. */
export type Shot = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | null
}

type Schema = { $ref?: string; properties?: Record<string, unknown>; anyOf?: Schema[]; items?: Schema }
export type OpenApi = {
  paths: Record<
    string,
    Record<
      string,
      { parameters?: { name: string; in: string }[]; requestBody?: { content: Record<string, { schema: Schema }> } }
    >
  >
  components: { schemas: Record<string, Schema> }
}

/** Texts that have broken servers. */
const nasty = (sent: string) => [
  '',
  sent,
  '\u0000',
  `a\u0000${sent}`,
  '\ud800',
  `${sent}\udc00`,
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '..',
  '../../etc/passwd',
  '*',
  '%',
  '%00',
  '{{inputs.x}}',
  "' or 1=1 --",
  '$1',
  '<script>',
  '-1',
  '0',
  '1e999',
  '9007199254740993',
  '٣',
  '2026-02-30T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '\r\nx: y',
  'ﷺ'.repeat(200),
  'x'.repeat(9_000),
  'haupt'.repeat(800),
  "a'b'".repeat(1_000),
  'a:b',
  'null',
  'NaN',
]

/** As raw JSON, so that what no parser gives can be sent too. */
const rawJson = [
  '1e400',
  '-0',
  '123456789012345678901234567890',
  '0.1e-400',
  '"\\ud800"',
  '"\\u0000"',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"a":1,"a":2}',
  '['.repeat(3_000) + ']'.repeat(3_000),
  `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`,
  `[${'0,'.repeat(5_000)}0]`,
  'null',
  'true',
  '[]',
  '{}',
  '""',
]

const placeholder = '"@raw@"'

function valuesOf(sent: string): fc.Arbitrary<unknown> {
  const text = fc.oneof(fc.constantFrom(...nasty(sent)), fc.string({ unit: 'binary', maxLength: 12 }))
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e300, [], {}),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(text, tie('value'), { maxKeys: 3 }),
    ),
  }))
  return value
}

/** The document with one or two places changed: most of it still fits, so the change gets far. */
function changed(base: unknown, names: readonly string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const isObject = base !== null && typeof base === 'object'
  if (!isObject) return value
  const members = [...new Set([...Object.keys(base), ...(Array.isArray(base) ? [] : names)])]
  if (members.length === 0) return value
  const one = fc.constantFrom(...members).chain((name) => {
    const old = (base as Record<string, unknown>)[name]
    const fresh = fc.oneof({ weight: 2, arbitrary: value }, fc.constant('@raw@'), deeper(old))
    return fresh.map((next) => {
      const copy = structuredClone(base) as Record<string, unknown>
      Object.defineProperty(copy, name, { value: next, enumerable: true, configurable: true, writable: true })
      return copy
    })
  })
  const deeper = (old: unknown) => (old !== null && typeof old === 'object' ? changed(old, [], value) : value)
  const more = fc.tuple(fc.constantFrom('__proto__', 'tenantId', 'tenant_id', 'x'), value).map(([name, extra]) => {
    const copy = structuredClone(base) as Record<string, unknown>
    Object.defineProperty(copy, name, { value: extra, enumerable: true, configurable: true, writable: true })
    return copy
  })
  return fc.oneof({ weight: 6, arbitrary: one }, { weight: 1, arbitrary: more }, { weight: 2, arbitrary: value })
}

function propertiesOf(document: OpenApi, schema: Schema | undefined): string[] {
  if (schema === undefined) return []
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return propertiesOf(document, document.components.schemas[name])
  return [
    ...Object.keys(schema.properties ?? {}),
    ...(schema.anyOf ?? []).flatMap((one) => propertiesOf(document, one)),
  ]
}

function bodiesOf(
  document: OpenApi,
  route: string,
  about: Furnished,
  sent: string,
): fc.Arbitrary<string | Buffer | null> {
  const [verb = '', path = ''] = route.split(' ')
  const content = document.paths[path]?.[verb.toLowerCase()]?.requestBody?.content ?? {}
  const names = Object.values(content).flatMap(({ schema }) => propertiesOf(document, schema))
  const base = table[route]?.body?.(about) ?? {}
  const raw = fc.constantFrom(...rawJson)
  const fitting = fc
    .tuple(changed(base, names, valuesOf(sent)), raw)
    .map(([body, instead]) => (JSON.stringify(body) ?? '').replaceAll(placeholder, () => instead))
  const junk = fc.constantFrom<string | Buffer | null>(
    null,
    '',
    '{',
    '{"a":}',
    `{"${sent}"`,
    '\ufeff{}',
    Buffer.from([0xff, 0xfe, 0x00]),
    Buffer.from('{"content":"\xff\xfe"}', 'latin1'),
    Buffer.alloc(200_000, 'x'),
    JSON.stringify({ content: 'x'.repeat(200_000) }),
    'a=1&b=2',
  )
  return fc.oneof({ weight: 12, arbitrary: fitting }, { weight: 2, arbitrary: raw }, { weight: 3, arbitrary: junk })
}

/** Parts of a path or a query in an encoding that a client would not choose. */
const encodings = ['%', '%zz', '%ff', '%ed%a0%80', '%c0%af', '%2e%2e', '%2F', '%00', '%25%30%30', '+', ';', '%E2%82']

function namesOf(sent: string): fc.Arbitrary<string> {
  const encoded = fc
    .constantFrom(...nasty(sent))
    .map((text) => (text.isWellFormed() ? encodeURIComponent(text) : '%ed%a0%80'))
  return fc.oneof(
    encoded,
    fc.constantFrom(...encodings),
    fc.webPath().map((text) => text.replaceAll('/', '')),
  )
}

function pathsOf(route: string, about: Furnished, sent: string): fc.Arbitrary<string> {
  const [, path = ''] = route.split(' ')
  const unknown = unknownLike(about)
  const wild = path.split(/(\{\w+\})/).map((part) => (part.startsWith('{') ? namesOf(sent) : fc.constant(part)))
  const tricks = fc.constantFrom('/', '//', '?', '#', ':x', '/..', '%20', '\\', '.json')
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant(fill(path, about)) },
    { weight: 1, arbitrary: fc.constant(fill(path, unknown)) },
    { weight: 4, arbitrary: fc.tuple(...wild).map((parts) => parts.join('')) },
    { weight: 1, arbitrary: tricks.map((trick) => fill(path, about) + trick) },
  )
}

function queriesOf(document: OpenApi, route: string, about: Furnished, sent: string): fc.Arbitrary<string> {
  const [verb = '', path = ''] = route.split(' ')
  const known = (document.paths[path]?.[verb.toLowerCase()]?.parameters ?? []).filter((one) => one.in === 'query')
  const names = known.map(({ name }) => name)
  const good = table[route]?.query?.(about) ?? ''
  const name = fc.constantFrom(
    ...(names.length > 0 ? [...names, ...names] : ['limit']),
    'x',
    '__proto__',
    'tenant',
    'limit[]',
  )
  const pair = fc.tuple(name, namesOf(sent)).map(([field, value]) => `${field}=${value}`)
  const pairs = fc.array(pair, { maxLength: 3 }).map((all) => all.join('&'))
  const twice = pair.map((one) => `${one}&${one}`)
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(good) },
    { weight: 3, arbitrary: pairs },
    { weight: 1, arbitrary: twice },
  )
}

function headersOf(sent: string): fc.Arbitrary<Record<string, string>> {
  const header = (name: string, ...values: string[]) =>
    fc.constantFrom(...values).map((value): [string, string] => [name, value])
  const any = fc.oneof(
    header('idempotency-key', '', sent, 'x'.repeat(5_000), 'a b', '\u00e9', 'same', 'same', 'same', ' '),
    header('accept', '*/*', 'text/event-stream', 'text/html', sent, 'application/json;q=0'),
    header('last-event-id', '-1', '0', sent, '9'.repeat(40), '1e3'),
    header('if-none-match', '*', '"x"', sent, 'W/"'),
    header('content-encoding', 'gzip', 'br', sent),
    header('x-http-method-override', 'DELETE'),
    header('x-forwarded-host', sent),
    header('origin', 'null', 'https://elsewhere.example', sent),
    header('range', 'bytes=0-1', `bytes=${sent}`),
    header('traceparent', sent, `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`, '\u00ff'),
    header('cookie', `a=${sent}`),
    header('accept-encoding', 'br', 'gzip', sent),
  )
  return fc.array(any, { maxLength: 2 }).map((pairs) => Object.fromEntries(pairs))
}

const contentTypes = [
  'application/json; charset=utf-16',
  'application/json;',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/x-ndjson',
  'application/merge-patch+json',
  '',
  'x',
]

/** Calls of one route: near enough to right ones that they get far, with something wrong in each. */
export function shotsAt(document: OpenApi, route: string, about: Furnished, sent: string): fc.Arbitrary<Shot> {
  const [verb = ''] = route.split(' ')
  const usual = document.paths[route.split(' ')[1] ?? '']?.[verb.toLowerCase()]?.requestBody?.content ?? {}
  const type = Object.keys(usual)[0] ?? 'application/json'
  const methods = ['OPTIONS', 'TRACE', 'HEAD', 'PROPFIND', 'SEARCH', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  const takesBody = ['POST', 'PUT', 'PATCH'].includes(verb)
  const body = bodiesOf(document, route, about, sent)
  const noBody = fc.constant(null)
  return fc
    .record({
      method: fc.oneof({ weight: 15, arbitrary: fc.constant(verb) }, fc.constantFrom(...methods)),
      path: pathsOf(route, about, sent),
      query: queriesOf(document, route, about, sent),
      headers: headersOf(sent),
      contentType: fc.oneof({ weight: 9, arbitrary: fc.constant(type) }, fc.constantFrom(...contentTypes)),
      body: takesBody ? body : fc.oneof({ weight: 9, arbitrary: noBody }, { weight: 1, arbitrary: body }),
    })
    .map(({ method, path, query, headers, contentType, body }) => ({
      method,
      path: query === '' ? path : `${path}?${query}`,
      headers: body === null ? headers : { 'content-type': contentType, ...headers },
      body,
    }))
}
