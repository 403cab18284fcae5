NAME = "⁧שלום⁩"  # expect: bandit:B613 UNCERTAIN
