import type { Fault } from './proxy.ts'

/** A fault, the scenario that must notice it, and what the scenario must say: failing for something else proves nothing. */
export type NoticedFault = {
  readonly name: string
  readonly scenario: string
  readonly reason: RegExp
  readonly fault: Fault
}
