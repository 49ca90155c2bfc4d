import { existsSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { AuditVerifyResult } from '../../client/types.ts'
import { formatAuditHead } from '../../core/audit/audit-head.ts'
import { action } from '../action.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { whileBuilding } from '../witness.ts'

/** audit verify, audit checkpoint. */
export function addAuditCommand(program: Command): void {
  const audit = program.command('audit').description('the audit log')
  audit
    .command('verify')
    .description('verify the hash chain: find records that were edited, removed or truncated')
    .option('--contents', 'also compare every stored row with the audit records')
    .option('--head <head>', 'a saved head that the chain must still contain: JSON, POSITION:HASH or a file')
    .option('--checkpoint <file>', 'a saved checkpoint whose records the log must still begin with')
    .action(
      action<VerifyOptions>(async ({ client, output }, _args, { contents = false, head, checkpoint }) => {
        const kept = {
          ...(head === undefined ? {} : { head: readHead(head) }),
          ...(checkpoint === undefined ? {} : { checkpoint: readCheckpoint(checkpoint) }),
        }
        const answer = await client.audit.verify({ contents: contents ? 'true' : 'false', ...kept })
        output.show(answer, () => textOf(answer))
        if (!answer.chainValid) throw new CliError('the stored data does not match the audit log', exitCodes.refused)
      }),
    )
  audit
    .command('checkpoint')
    .description('print a signed checkpoint of the log, to keep elsewhere')
    .action(
      action(async ({ client, output }) => {
        const checkpoint = await whileBuilding(() => client.log.checkpoint())
        output.show({ checkpoint }, () => checkpoint.trimEnd())
      }),
    )
}

type VerifyOptions = { contents?: boolean; head?: string; checkpoint?: string }

function readCheckpoint(file: string): string {
  if (!existsSync(file)) throw new CliError(`There is no file ${file}.`, exitCodes.notFound)
  return readFileSync(file, 'utf8')
}

/** The content of the file, if there is a file of this name. */
function readHead(given: string): string {
  return existsSync(given) ? readFileSync(given, 'utf8').trim() : given
}

function textOf({ chainValid, toSeq, anomalies, contents }: AuditVerifyResult): string {
  const rows = contents === undefined ? '' : `, ${contents.rows} rows`
  const kept = contents === undefined ? [] : [`head: ${formatAuditHead(contents.head)}`]
  if (chainValid) return [`intact: ${toSeq} records${rows}`, ...kept].join('\n')
  const hidden = (contents?.found ?? 0) - anomalies.length
  return [
    ...anomalies.map(lineOf),
    ...(contents === undefined ? [] : [`${contents.found} of ${contents.rows} rows do not match`]),
    ...(hidden > 0 ? [`${hidden} more are not shown`] : []),
  ].join('\n')
}

function lineOf({
  atSeq,
  problem,
  what = 'record',
  id,
  version,
  member,
}: AuditVerifyResult['anomalies'][number]): string {
  const names = [id, version === undefined ? undefined : `version ${version}`, member].filter(
    (part) => part !== undefined,
  )
  const place = atSeq === 0 ? 'no record explains it' : `position ${atSeq}`
  return `BROKEN: ${what}${names.map((name) => ` ${name}`).join('')} ${problem ?? 'edited'} (${place})`
}
