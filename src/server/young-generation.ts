import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { watchOpenStreams } from '../http/sse.ts'

/**
 * Lets V8 allocate every object as a new one. By itself it allocates the objects of a line of code among the old ones if most of those it made before were kept. In a
 * server that has just started, all that a search ranks is kept by a collection, because the memory for new objects is still small. From then on each search would leave
 * megabytes among the old objects: every collection of new objects copies what they refer to, and only one of everything frees them.
 */
export function allocateAllAsNew(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
  // The cache of compiled code is written at the end, and is valid only for the options of a start.
  process.once('exit', () => setFlagsFromString('--allocation-site-pretenuring'))
}

/** From here on, what a server allocates is mostly kept: as long as the streams are open. */
const manyStreams = 100

/**
 * Memory for new objects, both halves of it together. V8 lets it grow to 128 MiB while many new objects are kept, and seldom gives it
 * back: with thousands of streams it would take more than the streams.
 */
const youngBytesMax = 32 * 2 ** 20

/**
 * Limits the memory for new objects while the process has many streams. Not always: a server without streams needs about a tenth less
 * CPU time for a put when there is more of it.
 */
export function limitYoungGenerationOfStreams(): void {
  let end: (() => void) | null = null
  watchOpenStreams((open) => {
    if (open >= manyStreams) end ??= limitYoungGeneration()
    else if (end !== null) {
      end()
      end = null
    }
  })
}

/**
 * The option of Node for it is read before any code runs, so the growth is stopped instead, after the collection that reached the limit.
 * Returns what ends the limit.
 */
export function limitYoungGeneration(): () => void {
  let isGrowing = true
  const letGrow = (may: boolean) => {
    if (may === isGrowing) return
    isGrowing = may
    setFlagsFromString(`--semi-space-growth-factor=${may ? 2 : 1}`)
  }
  // It can shrink while the server is idle, and must grow again after that.
  const check = () => letGrow(youngBytes() < youngBytesMax)
  const observer = new PerformanceObserver(check)
  observer.observe({ entryTypes: ['gc'] })
  check()
  const end = () => {
    observer.disconnect()
    process.off('exit', end)
    letGrow(true)
  }
  // The cache of compiled code is written at the end, and is valid only for the options of a start.
  process.once('exit', end)
  return end
}

export function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
}
