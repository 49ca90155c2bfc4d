import { spawnSync } from 'node:child_process'
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { spreadOf } from './pair.ts'

/** Numbers without the machine they come from cannot be compared with anything. */
export type Machine = Readonly<Record<string, string>>

export function describeMachine(folder: string): Machine {
  const cores = cpus()
  const load = describeLoad()
  return {
    date: new Date().toISOString(),
    commit: commit(),
    cores: `${cores.length} × ${cores[0]?.model ?? 'unknown'}`,
    memory: `${(totalmem() / 1_024 ** 3).toFixed(1)} GiB`,
    kernel: `${type()} ${release()}`,
    node: process.version,
    sqlite: sqliteVersion(),
    'load average at start': load,
    'fdatasync p50 at start': probeFdatasync(folder),
  }
}

export function describeLoad(): string {
  return loadavg()
    .map((value) => value.toFixed(2))
    .join(' ')
}

/** How long the disk takes for one durable append. It decides whether single writes measure the disk or the code. */
export function probeFdatasync(folder: string): string {
  const path = join(folder, 'probe')
  const file = openSync(path, 'w')
  const block = Buffer.alloc(4_096, 1)
  const times: number[] = []
  try {
    for (let i = 0; i < 200; i++) {
      writeSync(file, block)
      const started = performance.now()
      fdatasyncSync(file)
      times.push(performance.now() - started)
    }
  } finally {
    closeSync(file)
    rmSync(path)
  }
  const { median, max } = spreadOf(times)
  return `${median.toFixed(3)} ms (slowest of 200: ${max.toFixed(1)} ms)`
}

function sqliteVersion(): string {
  const db = new Database(':memory:')
  try {
    return String(db.prepare('select sqlite_version()').pluck().get())
  } finally {
    db.close()
  }
}

function commit(): string {
  // Without optional locks, git only reads: another process may be committing in the same tree.
  const git = (...args: string[]) =>
    spawnSync('git', args, { encoding: 'utf8', env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' } })
  const head = git('rev-parse', '--short', 'HEAD')
  if (head.status !== 0) return 'unknown'
  const changed = git('status', '--porcelain', '--', 'src', 'bench').stdout !== ''
  return `${head.stdout.trim()}${changed ? ', with uncommitted changes in src or bench' : ''}`
}
