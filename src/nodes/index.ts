/**
 * The public module `colophon/nodes`: what a program needs to make its own node types. A node type is code of the operator
 * and runs in the server's process: see docs/guides/node-types.md.
 */

export type {
  ChildRequest,
  NodeConfigMember,
  NodeDraft,
  NodeListOptions,
  NodeMemory,
  NodeRequest,
  NodeResult,
  NodeSearchHit,
  NodeSearchOptions,
  NodeType,
  PendingEntry,
} from '../app/runs/node-type.ts'
export { invalid as invalidConfig } from '../core/errors.ts'
export type { ReplayRole } from '../core/workflow/upcoming-effect.ts'
export { defineNodeType, type NodeTypeDeclaration } from './define-node-type.ts'
