import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../test/support/postgres-server.ts'
import type { Flags } from '../flags.ts'
import { describeMachine, probeFdatasync } from '../machine.ts'
import { contest, isWanted, type Line } from './contest.ts'
import { installPeers } from './install.ts'
import { type Group, groups } from './products.ts'
import { renderLine, renderPeers } from './report.ts'
import { startRival } from './rival.ts'

const sliceMs = 150
const slowMs = 250
/** Loading 100,000 memories may take so long, and one slice of any work so long; then a product is out at that size. */
const patience = { fillMs: 240_000, sliceMs: 60_000 }

/** The same work for Colophon and for each product that is used in the same way. */
export async function benchPeers(flags: Flags, folder: string): Promise<void> {
  installPeers()
  const began = Date.now()
  const machine = describeMachine(folder)
  const wanted = groups.filter(({ name }) => isWanted(name, flags.only))
  const needs = (what: 'needsBuild' | 'needsPostgres') =>
    wanted.some(({ products }) => products.some((one) => one[what]))
  if (needs('needsBuild')) execFileSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 2, 2] })
  const lines: Line[] = []
  const onLine = (line: Line) => {
    lines.push(line)
    console.error(renderLine(line))
  }
  const server = flags.postgres && needs('needsPostgres') ? await startPostgres() : null
  try {
    for (const group of wanted) {
      if (group.products.some(({ needsPostgres }) => needsPostgres) && server === null) continue
      const tooSlow = new Map<string, string>()
      for (const size of flags.sizes)
        await compare(group, size, folder, server?.url ?? '', tooSlow, { ...flags, sliceMs, slowMs, onLine })
    }
  } finally {
    await server?.stop()
  }
  const report = renderPeers(
    {
      ...machine,
      'load average at end': loadavg()
        .map((value) => value.toFixed(2))
        .join(' '),
      'fdatasync p50 at end': probeFdatasync(folder),
      duration: `${Math.round((Date.now() - began) / 1_000)} s`,
    },
    lines,
    flags.slices,
  )
  console.log(report)
  mkdirSync(flags.out, { recursive: true })
  writeFileSync(join(flags.out, 'peers.md'), report)
  writeFileSync(join(flags.out, 'peers.json'), `${JSON.stringify({ machine, slices: flags.slices, lines }, null, 2)}\n`)
}

type Options = Parameters<typeof contest>[3]

async function compare(
  group: Group,
  size: number,
  folder: string,
  serverUrl: string,
  /** Products that could not be filled at a smaller size, and why; not tried again. */
  tooSlow: Map<string, string>,
  options: Options,
): Promise<void> {
  const rivals = group.products.map(({ name }) => startRival(name, patience, tooSlow.get(name)))
  try {
    for (const [at, rival] of rivals.entries()) {
      const place = `${groups.indexOf(group)}_${size}_${at}`
      const databaseUrl = group.products[at]?.needsPostgres ? await createDatabase(serverUrl, `bench_${place}`) : ''
      await rival.fill(group.name, { folder: join(folder, place), databaseUrl }, size)
      if (rival.out !== null) tooSlow.set(rival.name, `${rival.out} of loading`)
      // Tables that were never analysed are planned badly, and sooner or later the server would do it between two slices.
      if (databaseUrl !== '') await ask(databaseUrl, 'vacuum analyze')
    }
    await contest(group.name, size, rivals, options)
  } finally {
    for (const rival of rivals) await rival.close()
    for (const at of rivals.keys())
      rmSync(join(folder, `${groups.indexOf(group)}_${size}_${at}`), { recursive: true, force: true })
  }
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  await ask(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

async function ask(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
