import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { chain, delay, ended, eventsOf, host, keyed, put, register, replayOf } from '../server/runs-calls.ts'
import { eventually } from '../support/child.ts'
import { releaseServer, run } from '../support/databases.ts'
import { type Processes, startProcesses } from '../support/processes.ts'
import { holds, plainSecretValue, storedBytes } from '../support/secret-forms.ts'
import type { Answer, Tenant } from '../support/server.ts'
import { openChanges } from '../support/sse.ts'

after(releaseServer)

const deadline = { timeout: 120_000 }
const entriesOf = (ref: string) => `${host}/memory/${ref}/entries`
/** Pauses in the middle, so that any process can resume it. */
const visit = chain('visit', [put('before', 'before {{inputs.n}}'), delay(), put('behind', 'behind {{inputs.n}}')])
const stepsMax = 60
/** Every step is a commit of its own, in the process that took the run. */
const manySteps = chain(
  'many-steps',
  Array.from({ length: stepsMax }, (_, n) => {
    const node = put(`put-${n}`, `step ${n}`, '{{inputs.ref}}')
    return { ...node, config: { ...node.config, into: 'last' } }
  }),
)
/** Is never due while a test runs. */
const newYear = '0 0 1 1 *'

type Entry = { readonly id: string; readonly content: string }

// Side by side: both wait most of their time, for instance until the lease of a killed process has run out.
describe('many processes on one PostgreSQL', { concurrency: true }, () => {
  for (const count of [2, 4]) {
    describe(`${count} processes`, { concurrency: 1 }, () => {
      let processes: Processes
      let tenant: Tenant
      before(async () => {
        processes = await startProcesses(count)
        tenant = await processes.at(0).tenant()
        for (const workflow of [visit, manySteps]) await register(tenant.call, workflow)
      })
      after(() => processes[Symbol.asyncDispose]())

      /** The same call at every process, all at once. */
      const everywhere = (method: string, path: string, body?: unknown, headers = {}): Promise<Answer[]> =>
        Promise.all(processes.servers.map((server) => server.as(tenant.key)(method, path, body, headers)))
      const callAt = (n: number) => processes.at(n).as(tenant.key)
      const contentsOf = async (ref: string, n = 0): Promise<string[]> => {
        const found: Entry[] = []
        for (let cursor = ''; ; ) {
          const { body, text } = await callAt(n)('GET', `${entriesOf(ref)}?limit=500${cursor && `&cursor=${cursor}`}`)
          assert.ok(body.entries, text)
          found.push(...body.entries)
          if (!body.cursor) return found.map(({ content }) => content).sort()
          cursor = body.cursor
        }
      }
      /** Starts runs on each process in turn, and returns them by number. */
      const startRuns = (runs: number, ms: number): Promise<string[]> =>
        Promise.all(
          Array.from({ length: runs }, async (_, n) => {
            const inputs = { n: String(n), ms }
            const made = await callAt(n)('POST', '/v1/runs', { workflowId: 'visit', inputs })
            assert.equal(made.status, 201, made.text)
            return made.body.runId as string
          }),
        )

      test('every run ends once, whatever worker executes it', deadline, async () => {
        const runs = await startRuns(24, 20)
        for (const [n, runId] of runs.entries()) {
          assert.equal((await ended(callAt(n + 1), runId)).status, 'completed')
          const ends = (await eventsOf(callAt(n), runId)).filter(({ type }) => type.startsWith('run.completed'))
          assert.equal(ends.length, 1)
        }
        const noted = runs.flatMap((_, n) => [`before ${n}`, `behind ${n}`])
        assert.deepEqual(await contentsOf('notes', 1), noted.sort())
      })

      test(
        'a due schedule starts one job for each of its times, however many processes check it',
        deadline,
        async () => {
          const ids = Array.from({ length: 10 }, (_, n) => `yearly-${n}`)
          for (const id of ids) {
            const draft = { id, cron: newYear, kind: 'colophon.re-redact', payload: { dryRun: true } }
            assert.equal((await tenant.call('POST', `${host}/schedules`, draft)).status, 201)
          }
          const jobs = async () =>
            Number(
              (
                await run(
                  processes.databaseUrl,
                  `select count(*) from job where tenant_id = $1 and kind = 'colophon.re-redact'`,
                  [tenant.id],
                )
              )[0]?.count,
            )
          for (const round of [1, 2, 3]) {
            const due = Date.now() - 1_000
            await run(
              processes.databaseUrl,
              `update schedule set next_due_at = $2 where tenant_id = $1 and schedule_id like 'yearly-%'`,
              [tenant.id, due],
            )
            await run(
              processes.databaseUrl,
              `insert into job_ready (tenant_id, due_at, turn) values ($1, $2, 0) on conflict (tenant_id) do update set due_at = $2`,
              [tenant.id, due],
            )
            const moved = `select count(*) from schedule where tenant_id = $1 and schedule_id like 'yearly-%' and last_due_at = $2 and next_due_at > $2`
            await eventually(
              'every schedule has moved on',
              async () => Number((await run(processes.databaseUrl, moved, [tenant.id, due]))[0]?.count) === ids.length,
            )
            assert.equal(await jobs(), round * ids.length)
          }
          for (const id of ids) await tenant.call('DELETE', `${host}/schedules/${id}`)
        },
      )

      test(
        'concurrent calls with one idempotency key on all processes have one effect and one response',
        deadline,
        async () => {
          for (let round = 0; round < 8; round++) {
            const content = `once ${round}`
            const answers = (
              await Promise.all([1, 2, 3].map(() => everywhere('POST', entriesOf('once'), { content }, keyed(content))))
            ).flat()
            for (const { status, text } of answers) assert.equal(status, 201, text)
            assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
            assert.equal(
              answers.filter((answer) => replayOf(answer)[0] !== 'true').length,
              1,
              'one of them was the first',
            )
            const others = await everywhere('POST', entriesOf('once'), { content: 'another' }, keyed(content))
            assert.deepEqual(new Set(others.map(({ body }) => body.error)), new Set(['idempotency_key_mismatch']))
          }
          assert.deepEqual(
            await contentsOf('once'),
            Array.from({ length: 8 }, (_, round) => `once ${round}`),
          )
        },
      )

      // What is promised: whatever is sent after the call that made the secret or the rule was answered is redacted by
      // it, at every process. What is under way then may be on either side, and its position says on which.
      test(
        'a secret and a rule are obeyed everywhere from the moment that they are acknowledged',
        deadline,
        async () => {
          const values: string[] = []
          for (let round = 0; round < 6; round++) {
            const value = plainSecretValue()
            values.push(value)
            const made = await callAt(round)('PUT', `${host}/secrets/s${round}`, { value })
            assert.equal(made.status, 204, made.text)
            for (const { body, text } of await everywhere('POST', entriesOf('secrets'), { content: `is ${value}` }))
              assert.equal(body.content, `is [REDACTED:s${round}]`, text)
            const ticket = `TCK${round}-123456`
            assert.ok(
              (await callAt(round + 1)('PUT', `${host}/rules/t${round}`, { pattern: `TCK${round}-[0-9]{6}` })).status <
                300,
            )
            for (const { body, text } of await everywhere('POST', entriesOf('secrets'), { content: ticket }))
              assert.equal(body.content, `[REDACTED:t${round}]`, text)
          }
          const stored = await storedBytes(processes.home)
          assert.deepEqual(
            values.filter((value) => holds(stored, value)),
            [],
          )
        },
      )

      test('a change stream at any process has the writes of all of them, in one order', deadline, async () => {
        const from = (await callAt(0)('GET', entriesOf('told'))).body.position as number
        const streams = await Promise.all(
          processes.servers.map((server) => openChanges(server.url, tenant.key, { after: from })),
        )
        const puts = Array.from({ length: 40 }, (_, n) =>
          callAt(n)('POST', entriesOf('streamed'), { content: `streamed ${n}` }),
        )
        const ids = (await Promise.all(puts)).map(({ body }) => body.id as string)
        const received = streams.map(async (stream) => {
          const seen = () => stream.events.flatMap(({ data }) => data.entryIds as string[])
          await stream.until('everything was sent', () => seen().length >= ids.length)
          return seen()
        })
        const [first, ...others] = await Promise.all(received)
        assert.deepEqual([...(first ?? [])].sort(), ids.sort())
        for (const other of others) assert.deepEqual(other, first)
        for (const stream of streams) await stream.close()
      })

      test('a process that is killed loses no acknowledged write', deadline, async (t) => {
        const victim = processes.at(count - 1)
        const refs = ['steps-1', 'steps-2', 'steps-3']
        const start = async (ref: string) => {
          const draft = { workflowId: 'many-steps', inputs: { ref } }
          return (await victim.as(tenant.key)('POST', '/v1/runs', draft)).body.runId as string
        }
        const acknowledged: string[] = []
        let isOver = false
        const write = async (n: number) => {
          for (let k = 0; !isOver; k++) {
            const content = `kept ${n} ${k}`
            const server = processes.at(n)
            const answer = await server
              .as(tenant.key)('POST', entriesOf('kept'), { content })
              .catch(() => null)
            // The killed process answers no call; the others must answer.
            if (answer === null) return assert.equal(server, victim)
            assert.equal(answer.status, 201, answer.text)
            acknowledged.push(content)
          }
        }
        const writers = Array.from({ length: 2 * count }, (_, n) => write(n))
        await eventually('all of them write', async () => acknowledged.length >= 20 * count)
        const runs = await Promise.all(refs.map(start))
        const steps = () => Promise.all(refs.map(async (ref) => (await contentsOf(ref)).length))
        await eventually('the runs are under way', async () => (await steps()).some((done) => done > 3))
        await victim.kill()
        const [before, done] = [acknowledged.length, await steps()]
        assert.ok(
          done.some((steps) => steps < stepsMax),
          'the process was killed too late to prove anything',
        )
        await eventually('the others write on', async () => acknowledged.length >= before + 40)
        isOver = true
        await Promise.all(writers)
        const kept = new Set(await contentsOf('kept'))
        assert.deepEqual(
          acknowledged.filter((content) => !kept.has(content)),
          [],
        )
        const wholeRun = Array.from({ length: stepsMax }, (_, n) => `step ${n}`).sort()
        for (const runId of runs) assert.equal((await ended(callAt(0), runId)).status, 'completed')
        for (const ref of refs) assert.deepEqual(await contentsOf(ref), wholeRun)
        const verified = await callAt(0)('GET', '/v1/audit/verify')
        assert.equal(verified.body.chainValid, true, verified.text)
        t.diagnostic(`killed after ${done.join(', ')} of ${stepsMax} steps and ${before} acknowledged writes`)
        const back = await processes.replace(victim)
        assert.equal((await back.as(tenant.key)('GET', entriesOf('kept'))).status, 200)
      })
    })
  }
})
