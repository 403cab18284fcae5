AWS = "AKIAZDOCIS2JHTLGMXGE"  # expect: detect-secrets:aws-key
SHOWN = "AKIAIOSFODNN7EXAMPLE"  # expect: detect-secrets:aws-key DISMISSED
