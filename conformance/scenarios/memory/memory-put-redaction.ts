import { randomBytes } from 'node:crypto'
import { at, type Check, type Scenario } from '../../harness.ts'
import { idsOf } from '../../memory/entry.ts'
import { type Extension, entriesPath, extensionPath, openExtension } from '../../memory/extension.ts'
import { expectNoTrace, formsOf, type Surface } from '../../memory/leaks.ts'
import { listNode, putNode, unique, uniqueRef, workflow } from '../../memory/workflow.ts'

type Secret = { readonly id: string; readonly value: string; readonly forms: ReadonlyMap<string, string> }

/** Characters that every encoding writes in another way, so that no form is the plain value. */
function newSecret(): Secret {
  const value = `Wy/${randomBytes(6).toString('hex')}+"ü" &<k7>zQ`
  return { id: unique('secret'), value, forms: formsOf(value) }
}

const markerOf = ({ id }: Secret): string => `[REDACTED:${id}]`

async function expectPutsRedacted(check: Check, host: Extension, secret: Secret, ref: string): Promise<void> {
  for (const [name, form] of secret.forms) {
    const entry = await host.put(ref, { content: `before ${form} after`, tags: ['plain', `sent ${form}`] })
    check.absent(entry.content, form, `the answer to a put holds the secret (${name}) in its content`)
    check.ok(entry.content.includes(markerOf(secret)), `content with the secret (${name}) gets the marker`)
    check.ok(entry.content.startsWith('before ') && entry.content.endsWith(' after'), 'the text around it stays')
    check.absent(entry.tags.join('\n'), form, `the answer to a put holds the secret (${name}) in a tag`)
    check.ok(entry.tags.includes('plain'), 'a tag without the secret stays as it is')
    check.ok(
      entry.tags.some((tag) => tag.includes(markerOf(secret))),
      `a tag with the secret (${name}) gets the marker`,
    )
    check.equal((await host.get(ref, entry.id)).json, entry, 'what is stored is what was answered')
  }
  const many = { entries: [{ content: 'nothing to hide' }, { content: `in a batch ${secret.value}` }] }
  const batch = await host.send('POST', `${entriesPath(ref)}:batch`, many)
  check.equal(batch.status, 201, 'a batch with the secret: status')
  expectNoTrace(check, { where: 'the answer to a batch', ...batch }, secret.forms)
}

/** A secret that is the beginning of another one: replaced first, it would leave the other's end behind. */
async function expectLongestFirst(check: Check, host: Extension, ref: string): Promise<void> {
  const short = unique('short')
  const long = unique('long')
  const beginning = randomBytes(6).toString('hex')
  try {
    await host.putSecret(short, beginning)
    await host.putSecret(long, `${beginning}-and-its-end`)
    const { content } = await host.put(ref, { content: `one ${beginning}-and-its-end two ${beginning} three` })
    check.equal(content, `one [REDACTED:${long}] two [REDACTED:${short}] three`, 'the longest value goes first')
  } finally {
    await host.removeSecret(short)
    await host.removeSecret(long)
  }
}

/** A ref names something, so it cannot be rewritten: it is refused, and not repeated in the refusal. */
async function expectRefRefused(check: Check, host: Extension, secret: Secret): Promise<void> {
  const answer = await host.tryPut(`conformance/${secret.value}`, { content: 'harmless' })
  check.refused(answer, [400, 422], ['secret_leakage', 'validation_error'], 'a ref that holds the secret')
  expectNoTrace(check, { where: 'the refusal of a ref', ...answer }, secret.forms)
}

/** Everything a host shows of a run and of a ref. A surface that is not served would prove nothing. */
async function surfacesOf(check: Check, host: Extension, ref: string, runId: string): Promise<Surface[]> {
  const [newest] = await host.list(ref, '?limit=1')
  const run = `/v1/runs/${runId}`
  const paths = [
    entriesPath(ref),
    `${entriesPath(ref)}?runId=${runId}`,
    `/v1/memory/${encodeURIComponent(ref)}`,
    `${entriesPath(ref, newest?.id)}/colophon`,
    extensionPath('memory'),
    extensionPath('secrets'),
    extensionPath('audit'),
    extensionPath(`runs/${runId}/reads`),
    run,
    `${run}/events`,
    `${run}/events/poll?timeout=1`,
  ]
  if (at(check.family('debugBundle'), 'supported') === true) paths.push(`${run}/debug-bundle`)
  const surfaces: Surface[] = []
  for (const path of paths) {
    const answer = await host.send('GET', path)
    const where = path.replace(runId, '{id}')
    check.equal(answer.status, 200, `GET ${where}: status`)
    surfaces.push({ where, ...answer })
  }
  const stream = await check.sse(`${run}/events?streamMode=debug`)
  return [...surfaces, { where: 'the debug stream', text: stream.text, json: stream.frames.map(({ data }) => data) }]
}

async function expectRunRedacted(check: Check, host: Extension, secret: Secret, ref: string): Promise<void> {
  const nodes = [
    putNode('put-input', { memoryRef: ref, content: 'sent: {{inputs.note}}', tags: ['{{inputs.tag}}'], into: 'sent' }),
    putNode('put-literal', { memoryRef: ref, content: `written down: ${secret.value}`, into: 'literal' }),
    listNode('list', { memoryRef: ref, limit: 2, into: 'seen' }),
  ]
  const document = workflow('put-redaction', nodes)
  const inputs = { note: [...secret.forms.values()].join(' | '), tag: `tag ${secret.value}` }
  const runId = await host.start(document, inputs)
  const { sent, literal, seen } = await host.finish(runId)
  check.ok(String(at(sent, 'content')).includes(markerOf(secret)), 'a text from the inputs gets the marker')
  check.ok(String(at(literal, 'content')).includes(markerOf(secret)), 'a text from the workflow gets the marker')
  check.equal(seen, [literal, sent], 'the run reads back what was stored')

  for (const surface of await surfacesOf(check, host, ref, runId)) expectNoTrace(check, surface, secret.forms)
  const definition = await host.send('GET', `/v1/workflows/${document.id}`)
  check.equal(definition.status, 200, 'GET /v1/workflows/{id}')
  expectNoTrace(check, { where: 'the workflow definition', ...definition }, secret.forms)
}

export const memoryPutRedaction: Scenario = {
  id: 'memory-put-redaction',
  facts: 'memory 6 (named by RFC 0004, never published)',
  title: 'SR-1: a secret of the vault is in no entry, tag, event, bundle or snapshot, however it is encoded',
  async run(check) {
    const host = await openExtension(check)
    const secret = newSecret()
    const ref = uniqueRef('redaction')
    await host.putSecret(secret.id, secret.value)
    try {
      await expectPutsRedacted(check, host, secret, ref)
      await expectLongestFirst(check, host, ref)
      await expectRefRefused(check, host, secret)
      await expectRunRedacted(check, host, secret, ref)
      const clean = await host.put(ref, { content: 'no secret here', tags: ['clean'] })
      check.equal(clean.content, 'no secret here', 'a text without the secret stays as it is')
      check.ok(idsOf(await host.list(ref, '?tag=clean')).includes(clean.id), 'and is found by its tag')
    } finally {
      await host.removeSecret(secret.id)
    }
  },
}
