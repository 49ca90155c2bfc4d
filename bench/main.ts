// Measures everything that docs/PERFORMANCE.md has a row for, and writes that page: npm run bench
// It reports and does not judge: a missed target is a row of the table, an error is exit code 1.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { benchBlocking, blockingHeader, renderBlocking } from './blocking.ts'
import { benchFanOut } from './fan-out.ts'
import { type Flags, parseFlags } from './flags.ts'
import { benchHttp, benchRest, benchStart } from './http-pair.ts'
import { benchLongPasses } from './long-passes.ts'
import { describeLoad, describeMachine, type Machine, probeFdatasync } from './machine.ts'
import { benchMillion } from './million.ts'
import {
  blockingPage,
  missingRows,
  performancePage,
  renderBlockingPage,
  renderPerformancePage,
  writePage,
} from './page.ts'
import { benchPostgres, postgresWorks } from './postgres-pair.ts'
import { benchProvenance } from './provenance-pair.ts'
import { benchQuietTenant, quietPostgresWorks } from './quiet-tenant.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { renderMachine, renderProgress, renderResults, saveReport } from './report.ts'
import { benchRuns } from './run-pair.ts'
import { currentScalePage, scalePage } from './scale.ts'
import { benchSqlite } from './sqlite-pair.ts'

async function main(flags: Flags): Promise<void> {
  mkdirSync(flags.dir, { recursive: true })
  const folder = mkdtempSync(join(flags.dir, 'colophon-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  if (flags.peers) {
    // Only now: nothing else needs what it loads.
    const { benchPeers } = await import('./peers/main.ts')
    return await benchPeers(flags, folder)
  }
  if (flags.blocking) return await measureBlocking(flags, folder)
  await measureAll(flags, folder)
}

async function measureAll(flags: Flags, folder: string): Promise<void> {
  const began = Date.now()
  const atStart = describeMachine(folder)
  const recorder = createRecorder({ ...flags, onResult: (result) => console.error(renderProgress(result)) })
  // The servers as users run them: the build, not the sources.
  execFileSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const postgres = await measureWorks(recorder, flags, folder)
  const machine: Machine = { ...atStart, ...(postgres === null ? {} : { postgres }), ...describeEnd(folder, began) }
  const { results } = recorder
  const report = `# Benchmark\n\n${renderMachine(machine)}\n\n${renderResults(results, { isDetailed: true })}\n`
  console.log(report)
  saveReport(flags.out, 'results', report, { machine, slices: flags.slices, results })
  if (results.some(({ verdict }) => verdict === 'SUSPECT'))
    console.log('SUSPECT: raw is slower than ours, so its SQL no longer is what ours is. Mend bench/raw-*.ts.')
  if (!flags.isWhole) return console.log(`A part of the bench: ${performancePage} stays as it is.`)
  const missing = missingRows(results)
  if (missing.length > 0) throw new Error(`Not measured, so ${performancePage} was not written: ${missing.join('; ')}`)
  writePage(performancePage, renderPerformancePage(machine, results))
  writePage(scalePage, currentScalePage())
  console.log(`${performancePage} was written at commit ${atStart.commit}.`)
}

/** In the order of cost, so that a mistake is seen early. Returns the version of PostgreSQL. */
async function measureWorks(recorder: Recorder, { sizes, quick, postgres }: Flags, folder: string) {
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const from = performance.now()
    const result = await work()
    console.error(`— ${name}: ${((performance.now() - from) / 1_000).toFixed(0)} s`)
    return result
  }
  await timed('HTTP', () => benchHttp(recorder, folder))
  await timed('start', () => benchStart(recorder, folder))
  await timed('rest', () => benchRest(recorder, folder))
  await timed('runs', () => benchRuns(recorder, folder))
  await timed('provenance', () => benchProvenance(recorder, folder))
  await timed('long passes', () => benchLongPasses(recorder, quick))
  await timed('event streams', () => benchFanOut(recorder, folder, quick ? 200 : 5_000))
  await timed('SQLite', () => benchSqlite(recorder, folder, sizes))
  const many = quick ? { some: 1_000, many: 2_000, queries: 20 } : { some: 100_000, many: 1_000_000, queries: 200 }
  await timed('a million memories', () => benchMillion(recorder, folder, many))
  const fairness = quick ? { rounds: 1, seconds: 0.5, postgres } : { rounds: 5, seconds: 1, postgres }
  await timed('a quiet tenant', () => benchQuietTenant(recorder, folder, fairness))
  if (postgres) return await timed('PostgreSQL', () => benchPostgres(recorder, quick ? 1_000 : 10_000))
  recorder.skip([...postgresWorks, ...quietPostgresWorks], 'without PostgreSQL')
  return null
}

async function measureBlocking(flags: Flags, folder: string): Promise<void> {
  const began = Date.now()
  const atStart = describeMachine(folder)
  console.error(blockingHeader.join(' | '))
  const progress = {
    only: flags.only,
    onLine: (line: Parameters<typeof renderBlocking>[0]) => console.error(renderBlocking(line).join(' | ')),
  }
  const entries = flags.quick ? 10_000 : flags.entries
  const lines = await benchBlocking(folder, entries, progress)
  const page = renderBlockingPage({ ...atStart, ...describeEnd(folder, began) }, entries, lines)
  saveReport(flags.out, 'blocking', page, { entries, lines })
  console.log(page)
  if (!flags.isWhole) return console.log(`A part of the bench: ${blockingPage} stays as it is.`)
  writePage(blockingPage, page)
  console.log(`${blockingPage} was written at commit ${atStart.commit}.`)
}

function describeEnd(folder: string, began: number): Machine {
  return {
    'load average at end': describeLoad(),
    'fdatasync p50 at end': probeFdatasync(folder),
    duration: `${Math.round((Date.now() - began) / 1_000)} s`,
  }
}

try {
  await main(parseFlags(process.argv.slice(2)))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
