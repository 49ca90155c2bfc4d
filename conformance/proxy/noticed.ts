import type { Fault } from './proxy.ts'

/** A fault, the scenario that must notice it, and the reason it must give: failing for another reason proves nothing. */
export type NoticedFault = {
  readonly name: string
  readonly scenario: string
  readonly reason: RegExp
  readonly fault: Fault
}
