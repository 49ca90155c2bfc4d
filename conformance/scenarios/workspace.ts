// Workspace files: versions, conditional writes, limits, tenants, and what a run sees.
import { randomUUID } from 'node:crypto'
import { asArray, at, type Check, isObject } from '../harness.ts'
import { openExtension } from '../memory/extension.ts'
import { workflow } from '../memory/workflow.ts'
import { completedRun, scenario } from '../support.ts'

const facts = 'agents 3, 14'
const base = '/v1/host/workspace/files'

function needsWorkspace(check: Check): void {
  if (at(check.discovery, 'workspace', 'supported') !== true) check.inapplicable('workspace is not advertised')
}

const urlOf = (path: string) => `${base}/${encodeURIComponent(path)}`
const put = (check: Check, path: string, content: string, ifMatch?: unknown) =>
  check.http('PUT', urlOf(path), {
    body: { content },
    ...(ifMatch === undefined ? {} : { headers: { 'if-match': String(ifMatch) } }),
  })

const pathsOf = (value: unknown) => asArray(value).map((file) => at(file, 'path'))

export const scenarios = [
  scenario('workspace-behavior.crud', facts, 'A file is created, read, listed, deleted, and gone', async (check) => {
    needsWorkspace(check)
    const path = `behavior/${randomUUID()}.md`
    const made = await put(check, path, '# one')
    check.equal(made.status, 200, 'PUT of a new file')
    check.published('workspace-file', made.json, 'the new file')
    check.equal(made.body.version, 1, 'the version of a new file')
    check.ok(typeof made.body.etag === 'string', 'etag is a text')
    const read = await check.http('GET', urlOf(path))
    check.equal(read.json, made.json, 'GET of the file')
    const plain = await check.http('GET', `${base}/${path}`)
    check.equal(plain.json, made.json, 'GET with slashes in the path')
    const listed = await check.http('GET', `${base}?prefix=behavior/`)
    const row = asArray(listed.body.files).find((file) => at(file, 'path') === path)
    check.ok(isObject(row) && !('content' in row), 'the list has the file, without its content')
    const removed = await check.http('DELETE', urlOf(path))
    check.ok(removed.status >= 200 && removed.status < 300, 'DELETE succeeds')
    check.refused(await check.http('GET', urlOf(path)), [404], ['not_found'], 'GET of a deleted file')
  }),

  scenario(
    'workspace-behavior.if-match',
    facts,
    'A stale etag stores nothing, the current one stores',
    async (check) => {
      needsWorkspace(check)
      const path = `behavior/${randomUUID()}.md`
      const first = await put(check, path, 'one')
      const stale = await put(check, path, 'lost', '"definitely-stale"')
      check.refused(stale, [409], ['workspace_conflict'], 'PUT with a stale etag')
      check.ok(typeof at(stale.json, 'details', 'currentVersion') === 'number', 'details.currentVersion is a number')
      const second = await put(check, path, 'two', first.body.etag)
      check.equal([second.status, second.body.version], [200, 2], 'PUT with the current etag')
      const racing = await Promise.all([1, 2, 3].map((n) => put(check, path, `race ${n}`, second.body.etag)))
      check.equal(
        racing.filter(({ status }) => status === 200).length,
        1,
        'of three writes with one etag, one is stored',
      )
      const before = await check.http('GET', `${urlOf(path)}?version=1`)
      check.equal(before.body.content, 'one', 'the first version')
      await check.http('DELETE', urlOf(path))
    },
  ),

  scenario(
    'workspace-behavior.limits',
    facts,
    'A file above the limit, and a path that leads out, are refused',
    async (check) => {
      needsWorkspace(check)
      const max = Number(at(check.discovery, 'workspace', 'maxFileBytes'))
      const path = `behavior/${randomUUID()}.md`
      check.refused(await put(check, path, 'x'.repeat(max + 1)), [413], ['workspace_too_large'], 'maxFileBytes + 1')
      check.refused(await put(check, 'behavior/../out.md', 'x'), [400, 422], null, 'a path with ..')
      check.refused(await check.http('GET', urlOf(path)), [404], ['not_found'], 'GET of what was refused')
    },
  ),

  scenario('workspace-behavior.run', facts, 'A run shows the files that it sees', async (check) => {
    needsWorkspace(check)
    const path = `behavior/${randomUUID()}.md`
    await put(check, path, 'before the run')
    const { runId, snapshot } = await completedRun(check, { workflowId: 'conformance-noop' })
    check.ok(pathsOf(snapshot.workspace).includes(path), 'the path is in the workspace of the run')
    await check.http('DELETE', urlOf(path))
    const later = await check.http('GET', `/v1/runs/${runId}`)
    check.ok(pathsOf(later.body.workspace).includes(path), 'also after the file was deleted')
    const next = await completedRun(check, { workflowId: 'conformance-noop' })
    check.ok(!pathsOf(next.snapshot.workspace).includes(path), 'a later run does not see it')
  }),

  scenario('workspace-cross-tenant-isolation', facts, 'Another tenant gets at no file', async (check) => {
    needsWorkspace(check)
    if (check.target.keyB === null) check.blocked('needs a key of another tenant (--key-b)')
    const path = `wct1/${randomUUID()}.md`
    await put(check, path, 'of the first tenant')
    const foreign = await check.http('GET', urlOf(path), { auth: 'keyB' })
    check.refused(foreign, [403, 404], null, 'GET by another tenant')
    const list = await check.http('GET', base, { auth: 'keyB' })
    check.ok(!pathsOf(list.body.files).includes(path), 'the list of another tenant')
    check.refused(
      await check.http('DELETE', urlOf(path), { auth: 'keyB' }),
      [403, 404],
      null,
      'DELETE by another tenant',
    )
    check.equal((await check.http('GET', urlOf(path))).body.content, 'of the first tenant', 'GET by the owner')
    await check.http('DELETE', urlOf(path))
  }),

  scenario('workspace-isolation-by-name', facts, 'Workspaces of one tenant do not see each other', async (check) => {
    needsWorkspace(check)
    const path = `wct1/${randomUUID()}.md`
    const op = (tenant: string, workspace: string, name: string, more: object = {}) =>
      check.http('POST', '/v1/host/sample/workspace/op', { body: { tenant, workspace, op: name, path, ...more } })
    const made = await op('wct1-tenant-a', 'ws-a', 'put', { content: 'of ws-a' })
    if ([404, 405, 501].includes(made.status)) check.blocked('the seam workspace/op is not served')
    check.equal([made.status, made.body.version], [200, 1], 'put in ws-a')
    for (const [tenant, workspace] of [
      ['wct1-tenant-a', 'ws-b'],
      ['wct1-tenant-b', 'ws-a'],
    ] as const) {
      const name = `${tenant}, ${workspace}`
      check.refused(await op(tenant, workspace, 'get'), [403, 404], null, `get in ${name}`)
      const listed = await op(tenant, workspace, 'list')
      check.ok(!pathsOf(listed.body.files).includes(path), `the list of ${name}`)
      check.refused(await op(tenant, workspace, 'delete'), [403, 404], null, `delete in ${name}`)
    }
    check.equal((await op('wct1-tenant-a', 'ws-a', 'get')).body.content, 'of ws-a', 'get in ws-a')
    check.ok((await op('wct1-tenant-a', 'ws-a', 'delete')).status < 300, 'delete in ws-a')
  }),

  scenario(
    'workspace-own-writes',
    'agents 3, 20',
    'A run does not see what it writes; the next one does, and a fork still does not',
    async (check) => {
      needsWorkspace(check)
      const extension = await openExtension(check)
      const path = `behavior/${randomUUID()}.md`
      await put(check, path, 'before')
      const write = { id: 'write', typeId: 'colophon.workspace.put', config: { path, content: 'by the run' } }
      const read = { id: 'read', typeId: 'colophon.workspace.get', config: { path, into: 'seen' } }
      const document = workflow('workspace-own-writes', [write, read])
      const first = await extension.start(document)
      check.equal((await extension.finish(first)).seen, 'before', 'what the run sees')
      check.equal((await check.http('GET', urlOf(path))).body.content, 'by the run', 'the file after the run')
      const next = await check.createRun({ workflowId: document.id })
      check.equal((await extension.finish(next)).seen, 'by the run', 'what the next run sees')
      const replay = await extension.forked(first, { mode: 'replay', fromSeq: 0 })
      check.equal(replay.variables.seen, 'before', 'what the fork sees')
      await check.http('DELETE', urlOf(path))
    },
  ),
]
