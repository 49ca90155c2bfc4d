// Measures the library beside hand-written code that stores the same rows: npm run bench -- --quick
// It reports and does not judge: a missed target is a line in the table, an error is exit code 1.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { benchAuditCost } from './audit-cost.ts'
import { type Flags, parseFlags } from './flags.ts'
import { benchHttp } from './http-pair.ts'
import { describeMachine, type Machine, probeFdatasync } from './machine.ts'
import { benchPostgres } from './postgres-pair.ts'
import { benchProvenance } from './provenance-pair.ts'
import { createRecorder } from './recorder.ts'
import { renderProgress, renderReport, saveReport } from './report.ts'
import { benchRuns } from './run-pair.ts'
import { benchSqlite } from './sqlite-pair.ts'

const postgresEntriesMax = 10_000

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
  const started = Date.now()
  const recorder = createRecorder({ ...flags, onResult: (result) => console.error(renderProgress(result)) })
  const smallest = flags.sizes[0] ?? 1_000
  let machine: Machine = describeMachine(folder)
  await benchSqlite(recorder, folder, flags.sizes)
  await benchAuditCost(recorder, folder, smallest)
  // The servers as users run them: the build, not the sources.
  execFileSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' })
  await benchHttp(recorder, folder)
  await benchRuns(recorder, folder)
  await benchProvenance(recorder, folder)
  if (flags.postgres) {
    const postgres = await benchPostgres(recorder, Math.min(flags.sizes.at(-1) ?? smallest, postgresEntriesMax))
    machine = { ...machine, postgres }
  }
  machine = {
    ...machine,
    'fdatasync p50 at end': probeFdatasync(folder),
    duration: `${Math.round((Date.now() - started) / 1_000)} s`,
  }
  const report = renderReport(machine, recorder.results, flags.slices)
  console.log(report)
  saveReport(flags.out, report, { machine, slices: flags.slices, results: recorder.results })
}

try {
  await main(parseFlags(process.argv.slice(2)))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
