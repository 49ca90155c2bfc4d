// Loaded into a server (node --import ./bench/loop-watch.ts): how long its event loop was blocked, reported on each message.
import { readFileSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** A time during which the event loop ran nothing else, in milliseconds. */
type Block = {
  /** Without the time during which the thread was ready and the machine gave it no core. */
  readonly ms: number
  readonly gcMs: number
  readonly cpuMs: number
}

export type LoopReport = {
  /** The delay of a timer: half of all timers waited no longer, and 99 of 100. */
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** The longest block, without what the garbage collector took of it. */
  readonly longest: Block
  /** The blocks over 50 ms. */
  readonly over: number
  readonly longestCpuMs: number
  readonly residentMb: number
  /** How long ago the last block over 20 ms was. */
  readonly quietMs: number
}

const tickMs = 2
export const blockMsMax = 50
const none: Block = { ms: 0, gcMs: 0, cpuMs: 0 }

/** How long the main thread was ready to run and had to wait for a core, in milliseconds. */
function queuedMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / 1_000_000
  } catch {
    return 0
  }
}

const own = ({ ms, gcMs }: Block) => ms - gcMs

if (isMainThread && process.send !== undefined) {
  let delays: number[] = []
  let blocks: (Block & { readonly from: number; readonly to: number })[] = []
  let collections: { readonly from: number; readonly to: number }[] = []
  let longestCpuMs = 0
  let blockedAt = performance.now()
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      collections.push({ from: startTime, to: startTime + duration })
  })
  observer.observe({ entryTypes: ['gc'] })
  let last = { at: performance.now(), cpu: process.threadCpuUsage(), queued: queuedMs() }
  setInterval(() => {
    const at = performance.now()
    const cpu = process.threadCpuUsage()
    const queued = queuedMs()
    const delay = Math.max(0, at - last.at - tickMs)
    const cpuMs = (cpu.user + cpu.system - last.cpu.user - last.cpu.system) / 1_000
    longestCpuMs = Math.max(longestCpuMs, cpuMs)
    if (cpuMs > 20) blockedAt = at
    delays.push(delay)
    if (delay > 5) blocks.push({ from: last.at, to: at, ms: delay - (queued - last.queued), cpuMs, gcMs: 0 })
    last = { at, cpu, queued }
  }, tickMs).unref()
  // `peek` only looks; everything else begins anew.
  process.on('message', (asked) => {
    for (const entry of observer.takeRecords())
      collections.push({ from: entry.startTime, to: entry.startTime + entry.duration })
    const withGc = blocks.map((block): Block => {
      const overlaps = collections.map(({ from, to }) => Math.min(to, block.to) - Math.max(from, block.from))
      return { ...block, gcMs: overlaps.reduce((sum, ms) => sum + Math.max(0, ms), 0) }
    })
    const sorted = delays.sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    const report: LoopReport = {
      ...{ p50: at(0.5), p99: at(0.99), max: at(1), longestCpuMs },
      longest: withGc.reduce((longest, block) => (own(block) > own(longest) ? block : longest), none),
      over: withGc.filter((block) => own(block) > blockMsMax).length,
      residentMb: process.memoryUsage.rss() / 1_048_576,
      quietMs: performance.now() - blockedAt,
    }
    process.send?.(report)
    if (asked === 'peek') return
    delays = []
    blocks = []
    collections = []
    longestCpuMs = 0
    // Making the report took time too, which is not the next operation's.
    last = { at: performance.now(), cpu: process.threadCpuUsage(), queued: queuedMs() }
  })
  process.channel?.unref()
}
