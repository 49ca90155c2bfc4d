import { setTimeout as pause } from 'node:timers/promises'
import type { Env, Home } from '../test/support/server.ts'
import { type ServerProcess, startServerProcess } from '../test/support/server-process.ts'
import { begin } from './phase.ts'
import { note, type Tally } from './tally.ts'

/** The servers by index. Servers are replaced; the index stays. */
export type Fleet = {
  readonly places: number
  /** The URL of the server with this index, if it runs. */
  urlAt(place: number): string | null
  startAll(): Promise<void>
  /** Stops the server with this index, and starts another. */
  replace(place: number, signal: Ending, prepare?: string): Promise<void>
  /** Kills every server, and starts as many. */
  replaceAll(): Promise<void>
  endAll(signal: Ending): Promise<void>
  signal(place: number, signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Creates a tenant; returns its key. */
  addTenant(id: string): Promise<string>
}

export type Ending = 'SIGKILL' | 'SIGTERM'

type Place = { server: ServerProcess | null }

const startMsMax = 60_000
/** More than a server gives the requests and jobs that are under way. */
const stopMsMax = 60_000
const logLinesShown = 5

export function createFleet(count: number, home: Home, envOf: (place: number) => Env, tally: Tally): Fleet {
  const places: Place[] = Array.from({ length: count }, () => ({ server: null }))
  const placeAt = (number: number): Place => places[number % count] ?? { server: null }

  async function start(place: Place, prepare?: string): Promise<void> {
    const number = places.indexOf(place)
    using _ = begin(tally, `the start of server ${number}`)
    const late = pause(startMsMax, null, { ref: false })
    const env = envOf(number)
    const starting = startServerProcess({ home, env, ...(prepare === undefined ? {} : { prepare }) })
    const server = await Promise.race([starting, late])
    if (server === null) throw new Error(`Server ${number} did not start within ${startMsMax / 1_000} s.`)
    place.server = server
    void server.ended.then(({ code, signal }) => {
      // A fault that stops a server removes it from the list first.
      if (place.server === server) note(tally, 'no server ends by itself', `it ended with ${code ?? signal}`)
      for (const line of server.logs().split('\n'))
        if (line.includes('"code":"internal_error"')) note(tally, 'no internal error', line)
    })
  }

  async function end(place: Place, signal: Ending): Promise<void> {
    const { server } = place
    place.server = null
    if (server === null) return
    using step = begin(tally, `the end of server ${places.indexOf(place)} by ${signal}`)
    const late = pause(stopMsMax, null, { ref: false })
    const ended = await Promise.race([signal === 'SIGKILL' ? server.kill() : server.stop(), late])
    if (ended !== null) return
    const logs = server.logs().split('\n').slice(-logLinesShown).join('\n')
    note(
      tally,
      'every server stops when it gets the signal',
      `${step.what}: not within ${stopMsMax / 1_000} s. ${logs}`,
    )
    await server.kill()
  }

  const startAll = async () => void (await Promise.all(places.map((place) => start(place))))
  const endAll = async (signal: Ending) => void (await Promise.all(places.map((place) => end(place, signal))))
  return {
    places: count,
    urlAt: (place) => placeAt(place).server?.url ?? null,
    startAll,
    endAll,
    async replace(place, signal, prepare) {
      await end(placeAt(place), signal)
      await start(placeAt(place), prepare)
    },
    async replaceAll() {
      await endAll('SIGKILL')
      await startAll()
    },
    signal(place, signal) {
      const pid = placeAt(place).server?.pid
      if (pid) process.kill(pid, signal)
    },
    async addTenant(id) {
      const made = await placeAt(0).server?.tenant(id)
      if (!made) throw new Error('There is no server.')
      return made.key
    },
  }
}
