import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { putAgent } from '../app/agents.ts'
import type { Tenant } from '../app/tenant.ts'
import type { DiscoveryDocument } from '../core/agents/advertised-capabilities.ts'
import { type AgentManifest, agentLimits, parseManifest } from '../core/agents/agent.ts'
import { ColophonError, isColophonError } from '../core/errors.ts'

type AgentFile = { readonly file: string; readonly manifest: AgentManifest }

/** Reads the agent manifests of a folder, ordered by file name. A missing folder has none. Errors have the file name, never its text. */
export function loadAgentFiles(folder: string): AgentFile[] {
  if (!existsSync(folder)) return []
  const paths = readdirSync(folder)
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
  const files = paths.map((file) => ({ file, manifest: readManifest(file) }))
  const byId = new Map<string, string>()
  for (const { file, manifest } of files) {
    const other = byId.get(manifest.agentId)
    // Otherwise each start would install both, one over the other.
    if (other !== undefined) throw fileError(file, `has the same agentId as ${other}.`)
    byId.set(manifest.agentId, file)
  }
  return files
}

/**
 * Installs the agents of a folder. It can run at every start and on several servers at once: equal manifests are not stored again. A file
 * overrides changes that were made through the API. An agent whose file was deleted stays installed.
 */
export async function installAgentFiles(
  tenant: Tenant,
  folder: string,
  advertise: () => Promise<DiscoveryDocument>,
): Promise<void> {
  const files = loadAgentFiles(folder)
  if (files.length === 0) return
  const advertised = await advertise()
  for (const { file, manifest } of files) {
    try {
      await putAgent(tenant, manifest, advertised, { actor: 'agent-files' })
    } catch (error) {
      throw named(file, error)
    }
  }
}

function readManifest(file: string): AgentManifest {
  if (statSync(file).size > agentLimits.manifestBytesMax)
    throw fileError(file, `must be at most ${agentLimits.manifestBytesMax} bytes.`)
  let document: unknown
  try {
    document = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    // Not the message of the parser: it quotes the text.
    throw fileError(file, error instanceof SyntaxError ? 'is not valid JSON.' : 'cannot be read.')
  }
  try {
    return parseManifest(document)
  } catch (error) {
    throw named(file, error)
  }
}

function fileError(file: string, problem: string): ColophonError {
  return new ColophonError('pack_validation_failed', `The agent file ${file} ${problem}`, { details: { file } })
}

/** Adds the file name to an error about a manifest. Other errors, such as an unavailable database, are not about a file. */
function named(file: string, error: unknown): unknown {
  if (!isColophonError(error) || !['invalid', 'refused'].includes(error.kind)) return error
  return new ColophonError(error.code, `The agent file ${file} cannot be installed: ${error.message}`, {
    details: { ...error.details, file },
  })
}
