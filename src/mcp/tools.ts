import type { CallToolResult, McpServer, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { isClientError } from '../client/index.ts'
import { visibleText, visibleValue } from '../core/visible-text.ts'
import type { ArgumentNames } from './argument-names.ts'
import { describeError } from './describe-error.ts'

/** What a tool returns: the same facts as structured content and as text. */
export type ToolOutcome<Output> = { readonly structured: Output; readonly lines: readonly string[] }

/** Nothing changes. */
export const readsOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
/** Adds to memory; nothing is lost. A repeat adds again. */
export const addsOnly = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }
/** Adds to memory; nothing is lost. A repeat changes nothing more. */
export const addsOnce = { ...addsOnly, idempotentHint: true }
/** Ends memories. A repeat changes nothing more. */
export const deletes = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }

/** Starts what the tenant has set up, which can do anything, also outside of memory. A repeat does it again. */
export const startsWork = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

/** A refusal of a tool itself, in its own words. */
export class ToolRefusal extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

type ToolConfig<Input, Output> = {
  readonly title: string
  readonly description: string
  readonly inputSchema: Input
  readonly outputSchema: Output
  readonly annotations: ToolAnnotations
  /** The arguments of this tool, by fields of the API, where they have other names. */
  readonly argumentNames?: ArgumentNames
}

/**
 * Registers a tool. A failure becomes a result with `isError`, so that the model sees the reason, and a message in the log
 * of the client. Neither has any text of a memory. What is hidden in a text does not reach the model.
 */
export function addTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  server: McpServer,
  name: string,
  { argumentNames, ...config }: ToolConfig<Input, Output>,
  work: (args: z.output<Input>, context: ServerContext) => Promise<ToolOutcome<z.input<Output>>>,
): void {
  const run = async (args: z.output<Input>, context: ServerContext): Promise<CallToolResult> => {
    try {
      const { structured, lines } = await work(args, context)
      const text = visibleText(lines.join('\n'))
      return { content: [{ type: 'text', text }], structuredContent: visibleValue(structured) }
    } catch (error) {
      const isRefusal = error instanceof ToolRefusal
      const code = isRefusal || isClientError(error) ? error.code : 'internal_error'
      const requestId = isClientError(error) ? error.requestId : undefined
      await context.mcpReq.log('warning', { event: 'tool_failed', tool: name, code, requestId }, 'colophon')
      return {
        content: [{ type: 'text', text: isRefusal ? visibleText(error.message) : describeError(error, argumentNames) }],
        isError: true,
      }
    }
  }
  server.registerTool(name, config, run as never)
}
