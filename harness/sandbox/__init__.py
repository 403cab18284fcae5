"""Where code of the audited repository may run: `base` is the promise, `probe` finds what keeps it on this machine.

`bubblewrap` builds the walls, `supervise` attends one execution, `usage` watches what the kernel does not limit,
`seccomp` is the filter of system calls, `interpreter` says what of our own Python must be readable inside.
"""
