import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';

export interface ButtonProps extends Omit<ButtonHTMLAttributes, 'type'> {
  type?: 'button' | 'submit';
  kind?: 'plain' | 'primary' | 'quiet';
  children?: ComponentChildren;
}

export function Button({ kind = 'plain', type = 'button', class: extra, ...rest }: ButtonProps) {
  return <button type={type} class={`button button-${kind} ${extra ?? ''}`} {...rest} />;
}
