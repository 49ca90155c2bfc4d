import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { mainProgram } from '../../test/support/server-process.ts'
import { openEditor } from '../editor.ts'
import type { Place } from '../place.ts'
import type { LogFiles, Session } from '../product.ts'

/** The audit log of Colophon as its witnesses and its attacker see it. */

type Ask = (method: string, path: string) => Promise<{ readonly status: number; readonly text: string }>

const log = '/v1/host/colophon/log'
const refusedExit = 4

type Server = { readonly url: string; readonly place: Place; readonly keyOf: (tenant: string) => Promise<string> }

export function logCalls(
  { url, place, keyOf }: Server,
  ask: (key: string, method: string, path: string) => ReturnType<Ask>,
): Required<Pick<Session, 'witness' | 'rewriteLog' | 'logFiles'>> {
  const stateOf = (tenant: string, name: string) => join(place.folder, 'witnesses', `${tenant}-${name}`)
  const read = async (tenant: string, path: string) => {
    const { status, text } = await ask(await keyOf(tenant), 'GET', path)
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`)
    return text
  }
  return {
    async witness(tenant, name, others) {
      const compare = others.map((other) => join(stateOf(tenant, other), 'checkpoint'))
      const options = ['--state', stateOf(tenant, name), ...(compare.length === 0 ? [] : ['--compare', ...compare])]
      const args = [mainProgram, '--url', url, '--key', await keyOf(tenant), 'witness', ...options]
      const { code, output } = await run(process.execPath, args)
      if (code !== 0 && code !== refusedExit) throw new Error(`colophon witness ended with ${code}: ${output}`)
      return { isAccepted: code === 0 }
    },
    async rewriteLog(tenant, fromEnd) {
      const editor = await openEditor(place, 'audit')
      try {
        const rows = await editor.all(
          'select position, at, body, hash from audit where tenant_id = ? order by position',
          tenant,
        )
        const first = Math.max(rows.length - fromEnd, 0)
        let prev = first === 0 ? '0'.repeat(64) : String(rows[first - 1]?.hash)
        for (const [index, row] of rows.slice(first).entries()) {
          const body = index === 0 ? String(row.body).replace(/"actor":"[^"]*"/, '"actor":"key:mallory"') : row.body
          const at = new Date(Number(row.at)).toISOString()
          const record = `{"at":"${at}","body":${body},"position":${row.position},"prev":"${prev}","tenant":"${tenant}","v":1}`
          prev = createHash('sha256').update(record).digest('hex')
          await editor.run(
            'update audit set body = ?, hash = ? where tenant_id = ? and position = ?',
            body,
            prev,
            tenant,
            row.position,
          )
        }
        await editor.run('update tenant_clock set last_hash = ? where tenant_id = ?', prev, tenant)
        // So that the server derives them from the new records.
        await editor.run('delete from log_tile where tenant_id = ?', tenant)
      } finally {
        await editor.close()
      }
    },
    async logFiles(tenant, grow) {
      const older = await read(tenant, `${log}/checkpoint`)
      await grow()
      const newer = await read(tenant, `${log}/checkpoint`)
      const [from, size] = [older, newer].map((checkpoint) => Number(checkpoint.split('\n')[1])) as [number, number]
      const { keys } = JSON.parse(await read(tenant, `${log}/keys`)) as { keys: { verifierKey: string }[] }
      const middle = Math.ceil(size / 2)
      const files: LogFiles = {
        key: keys.at(-1)?.verifierKey ?? '',
        older,
        newer,
        consistency: await read(tenant, `${log}/proof/consistency?from=${from}&to=${size}`),
        inclusion: await read(tenant, `${log}/proof/inclusion?position=${middle}&size=${size}`),
        audit: await read(tenant, `/v1/host/colophon/audit?limit=2&cursor=${middle - 2}`),
      }
      return files
    },
  }
}

function run(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: 60_000 }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1
      resolve({ code, output: `${stdout}${stderr}` })
    })
  })
}
