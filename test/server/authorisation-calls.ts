import assert from 'node:assert/strict'
import { placeOf } from '../../src/wires/negotiation.ts'
import { toV2Code } from '../../src/wires/openwop-v2/codes.ts'
import { assertError, assertProvenanceError } from '../support/envelope.ts'
import type { Answer, Env, TestServer } from '../support/server.ts'
import { table } from './authorisation-table.ts'
import { type Furnished, fill } from './authorisation-things.ts'

/** One call of the matrix: a row of the table, about these things. */
export type Asked = {
  readonly route: string
  readonly about: Furnished
  readonly headers: Env
  readonly method?: string
}

/** Number of concurrent calls. */
const abreast = 8

export const rowOf = (route: string) => {
  const row = table[route]
  if (row === undefined) throw new Error(`${route} has no row in authorisation-table.ts: say who may call it.`)
  return row
}

export const keyed = (key: string): Env => ({ authorization: `Bearer ${key}` })

/** Sends a request; of a stream it waits only for the start. */
export async function ask(server: TestServer, { route, about, headers, method }: Asked): Promise<Answer> {
  const [verb = '', path = ''] = route.split(' ')
  const { body, query } = rowOf(route)
  const given = body?.(about)
  const isLines = typeof given === 'string'
  const contentType = isLines ? 'application/x-ndjson' : 'application/json'
  const leave = new AbortController()
  const overdue = setTimeout(() => leave.abort(), 30_000)
  try {
    const response = await fetch(`${server.url}${fill(path, about)}${query ? `?${query(about)}` : ''}`, {
      method: method ?? verb,
      redirect: 'manual',
      signal: leave.signal,
      headers: { ...headers, ...(given === undefined ? {} : { 'content-type': contentType }) },
      ...(given === undefined ? {} : { body: isLines ? given : JSON.stringify(given) }),
    })
    const type = response.headers.get('content-type') ?? ''
    const text = type.startsWith('text/event-stream') ? '' : await response.text()
    const isJson = type.startsWith('application/json') && text !== ''
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null }
  } finally {
    clearTimeout(overdue)
    leave.abort()
  }
}

export async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const take = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: abreast }, take))
}

const isV2 = (route: string) => placeOf(route.split(' ')[1] ?? '') === 'v2'
const inV2 = (code: string | undefined) => (code === undefined ? undefined : toV2Code(code, {}))

/** An error in the envelope of its family. */
export function assertRefusal(route: string, answer: Answer, status: number, code?: string): void {
  const isProvenance = /^\w+ \/v1\/(?:memories|tenant)(?:[/:?#; ]|$)/.test(route)
  try {
    if (isProvenance) assertProvenanceError(answer, status, code)
    else assertError(answer, status, isV2(route) ? inV2(code) : code)
    if (status === 401) assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/)
  } catch (error) {
    throw new Error(`${route}: ${(error as Error).message}`, { cause: error })
  }
}

/** What a caller can learn from a response: everything about an error but its request id, the shape of anything else. */
export function learnt(answer: Answer): unknown {
  if (answer.status >= 400) return [answer.status, { ...answer.body, request_id: undefined }]
  return [answer.status, formOf(answer.body)]
}

function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(formOf)
  if (value === null || typeof value !== 'object') return value === null ? null : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, formOf(member)]))
}
