import type { ReadAccess } from '../../core/entries/access.ts'
import { trustRank } from '../../core/entries/trust.ts'

/** The rule of `isAccessible` as a condition on the rows of `entry_version`. */
export const accessible = (row: string) => `${row}.trust >= :trustMin
         and (:reader is null or ${row}.readers is null
              or exists (select 1 from json_each(${row}.readers) where value = :reader))`

/** The rows of restricted entries that a reader cannot see. Only restricted rows have to be examined. */
export const hiddenFrom = (row: string) => `${row}.readers is not null
         and not exists (select 1 from json_each(${row}.readers) where value = :reader)`

/** The parameters of that condition. */
export const accessValues = ({ trustMin, reader }: ReadAccess) => ({ trustMin: trustRank(trustMin), reader })
