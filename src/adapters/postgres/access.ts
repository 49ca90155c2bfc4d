import type { ReadAccess } from '../../core/entries/access.ts'
import { trustRank } from '../../core/entries/trust.ts'

/** The rule of `isAccessible` as a condition on the rows of `entry_version`, with the numbers of its two parameters. */
export const accessible = (row: string, trustMin: string, reader: string) => `${row}.trust >= ${trustMin}::smallint
            and (${reader}::text is null or ${row}.readers is null or ${row}.readers::jsonb ? ${reader}::text)`

/** The rows of restricted entries that a reader cannot see. Only restricted rows have to be examined. */
export const hiddenFrom = (row: string, reader: string) =>
  `${row}.readers is not null and not ${row}.readers::jsonb ? ${reader}::text`

/** The parameters of that condition, in their order. */
export const accessValues = ({ trustMin, reader }: ReadAccess) => [trustRank(trustMin), reader]
