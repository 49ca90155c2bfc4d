import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { takesCursor } from '../../src/http/cursors.ts'
import { wires } from '../../src/wires/index.ts'
import { type Answer, startServer, type Tenant, type TestServer } from '../support/server.ts'
import { each, rowOf } from './authorisation-calls.ts'
import { type Furnished, fill, furnish } from './authorisation-things.ts'
import { host } from './runs-calls.ts'

const routes = wires.flatMap((wire) => wire.routes).filter(takesCursor)
const nameOf = ({ method, path }: (typeof routes)[number]) => `${method} ${path}`

/** What no page ever returned. */
const nonsense = [
  '',
  'x',
  '0',
  '-1',
  '1.5',
  '99999999999999999999',
  '9.9.9',
  '999999999999999.0.0',
  'null',
  'e30',
  '..',
  '%00',
  'run_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d12',
  'key_1',
  'notes',
  'ÿ🍵',
  'x'.repeat(10_240),
  `${'x'.repeat(10_000)}.0123456789ab`,
]

describe('cursors', () => {
  let server: TestServer
  let tenant: Tenant
  let about: Furnished
  /** Real cursors, by list. */
  const cursors = new Map<string, string>()
  /** Of the other tenant. */
  const foreign = new Map<string, string>()

  async function ask(route: string, of: Tenant, things: Furnished, more: Record<string, string>): Promise<Answer> {
    const [method = '', path = ''] = route.split(' ')
    const { query, body, needs } = rowOf(route)
    const call = needs === 'operator' ? server.as(server.operatorKey) : of.call
    if (method !== 'GET') return call(method, fill(path, things), { ...(body?.(things) as object), limit: 1, ...more })
    const parameters = new URLSearchParams(query?.(things))
    for (const [name, value] of Object.entries(more)) parameters.set(name, value)
    return call(method, `${fill(path, things)}?${parameters}`)
  }

  async function collect(of: Tenant, things: Furnished, into: Map<string, string>): Promise<void> {
    for (const route of routes.map(nameOf)) {
      const limit: Record<string, string> = /containments\/\{id\}|^POST/.test(route) ? {} : { limit: '1' }
      const answer = await ask(route, of, things, limit)
      assert.equal(answer.status, 200, `${route}: ${answer.text}`)
      const cursor = answer.body.cursor ?? answer.body.nextCursor
      if (cursor !== undefined) into.set(route, cursor)
    }
  }

  before(async () => {
    server = await startServer()
    tenant = await server.tenant()
    const other = await server.tenant()
    const [own, others] = [tenant, other].map(async (one) => {
      const things = await furnish((await server.tenant()).id, one.call)
      // Two of everything that has a list.
      for (const content of ['one', 'two']) await one.call('POST', `${host}/memory/second/entries`, { content })
      for (const id of ['a-workflow', 'b-workflow']) await one.call('POST', `${host}/workflows`, { id })
      await one.call('POST', `${host}/containments`, { agent: 'nobody-else' })
      await one.call('POST', `${host}/forget`, { tag: 'nobody-has-this-either' })
      return things
    })
    about = (await own) as Furnished
    await collect(tenant, about, cursors)
    await collect(other, (await others) as Furnished, foreign)
  })
  after(() => server[Symbol.asyncDispose]())

  const refuses = async (route: string, cursor: string, what: string) => {
    const answer = await ask(route, tenant, about, { cursor })
    assert.equal(answer.status, 400, `${route} with ${what}: ${answer.status} ${answer.text.slice(0, 300)}`)
    assert.equal(answer.body.details.field, 'cursor', `${route} with ${what}`)
    assert.ok(answer.text.length < 1_000, `${route} repeats ${what}`)
  }

  test('every list of every wire refuses a cursor that is nonsense', async () => {
    assert.ok(routes.length >= 24, `${routes.length} lists`)
    await each(routes.map(nameOf), async (route) => {
      for (const cursor of nonsense) await refuses(route, cursor, JSON.stringify(cursor.slice(0, 40)))
    })
  })

  test('a cursor is followed on its list, and refused cut, changed, on every other list and for another tenant', async () => {
    assert.ok(cursors.size >= 10 && foreign.size >= 10, `${[...cursors.keys()]}`)
    await each([...cursors], async ([route, cursor]) => {
      assert.equal((await ask(route, tenant, about, { cursor })).status, 200, `${route} ${cursor}`)
      for (const cut of [
        cursor.slice(0, -1),
        cursor.slice(1),
        cursor.slice(0, cursor.length / 2),
        `${cursor}0`,
        `${cursor}.`,
        ` ${cursor}`,
        cursor.toUpperCase(),
      ])
        await refuses(route, cut, 'a part of its cursor')
      for (const [other, its] of cursors) if (other !== route) await refuses(route, its, `the cursor of ${other}`)
      const foreignOne = foreign.get(route)
      // The tenants are a list of the operator.
      if (foreignOne !== undefined && rowOf(route).needs !== 'operator')
        await refuses(route, foreignOne, 'the cursor of another tenant')
    })
  })

  test('a cursor of the entries of one ref is none of another', async () => {
    const page = await tenant.call('GET', `${host}/memory/second/entries?limit=1`)
    const cursor = encodeURIComponent(page.body.cursor)
    assert.equal((await tenant.call('GET', `${host}/memory/second/entries?cursor=${cursor}`)).status, 200)
    assert.equal((await tenant.call('GET', `${host}/memory/third/entries?cursor=${cursor}`)).status, 400)
  })
})
