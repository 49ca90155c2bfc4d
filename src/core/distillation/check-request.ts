import { checkCompactedRef } from '../compaction/policy.ts'
import { checkDistilledLength } from './archive.ts'

/** Refuses a ref that cannot be distilled. */
export function checkDistilledRef(field: string, memoryRef: string): void {
  checkCompactedRef(field, memoryRef)
  checkDistilledLength(field, memoryRef)
}
