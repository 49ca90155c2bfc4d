import type { ButtonHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'

type Kind = 'primary' | 'plain' | 'quiet' | 'danger'

const kindClasses: Readonly<Record<Kind, string>> = {
  primary: 'bg-accent text-accent-ink hover:opacity-90',
  plain: 'border border-line bg-raised hover:bg-sunken',
  quiet: 'hover:bg-sunken',
  danger: 'border border-bad text-bad hover:bg-sunken',
}

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { readonly kind?: Kind; readonly small?: boolean }

export function Button({ kind = 'plain', small = false, className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={classNames(
        'inline-flex items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap cursor-pointer',
        'disabled:cursor-not-allowed disabled:opacity-50',
        small ? 'px-2 py-0.5 text-xs' : 'px-3 py-1.5 text-sm',
        kindClasses[kind],
        className,
      )}
      {...rest}
    />
  )
}
