// Workspace files: versions, conditional writes, limits, tenants, and what a run sees.
import { randomUUID } from 'node:crypto'
import { asArray, at, type Check, isObject } from '../harness.ts'
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
]
