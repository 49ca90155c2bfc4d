import { adapters } from '../test/integrations/adapters.ts'
import { type KillReport, killAdapters } from '../test/integrations/adapters-killed.ts'
import type { StorageName } from '../test/support/server.ts'

/** The name of this proof for `--property`. It is about the adapters for frameworks and not about products, so it has no row in the table. */
export const adapterRetriesId = 'adapters'

export const adapterRetriesMeasured =
  'two clients race on one session of every adapter while clients and server are killed; writes that are lost, stored twice or out of order are counted'

/** Something is killed after this many writes of each adapter. */
const killEvery = 250
const resent = 50

/** `writes` is the number over all adapters. Every one is sent by both clients. */
export function proveAdapterRetries(storage: StorageName, writes: number): Promise<KillReport> {
  return killAdapters({ storage, writes: Math.ceil(writes / Object.keys(adapters).length), killEvery, resent })
}

export function linesOf({ adapters: figures, kills, anomalies }: KillReport): string[] {
  return [
    ...Object.entries(figures).map(
      ([name, { stored, lost, doubled, outOfOrder }]) =>
        `${name.padEnd(22)} ${stored} writes stored, ${lost} lost, ${doubled} doubled, ${outOfOrder} out of order`,
    ),
    `${kills.clients} clients and ${kills.servers} servers killed, ${anomalies.length} anomalies in the audit`,
  ]
}

export function isRight({ adapters: figures, anomalies }: KillReport): boolean {
  const faults = Object.values(figures).flatMap(({ lost, doubled, outOfOrder }) => [lost, doubled, outOfOrder])
  return anomalies.length === 0 && faults.every((count) => count === 0)
}
