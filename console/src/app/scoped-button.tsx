import type { Scope } from '../../../src/core/access/scopes.ts'
import { Button, type ButtonProps } from '../ui/button.tsx'
import { useScope } from './caller.ts'

/** A button for what needs a scope. If the key lacks it, the button is disabled and names the scope. */
export function ScopedButton({ scope, ...rest }: ButtonProps & { readonly scope: Scope }) {
  const refusal = useScope(scope)
  return <Button {...rest} {...refusal} />
}
